/** Result of checking a pasted text, in sentences. */
export type Finding = {
  /** `proved`: all of it fits; `refuted`: something does not; `unclear`: not to be checked. */
  readonly verdict: 'proved' | 'refuted' | 'unclear'
  readonly title: string
  readonly shows: readonly string[]
  readonly limits: readonly string[]
  /** The entry of the log that was proved, as text. */
  readonly entry?: string
}

/** A public key of the service, as its JSON Web Key has it. */
export type PublicKey = { readonly kid: string; readonly x: string }

/** Data for checking a text. */
export type Known = {
  readonly keys: readonly PublicKey[]
  /** The name of the service's log; null before its first checkpoint. */
  readonly origin: string | null
}

type Bytes = Uint8Array<ArrayBuffer>

export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text)

export const joined = (...parts: readonly Uint8Array[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

export const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** Reports whether a key signed these bytes. */
export async function isSigned({ x }: PublicKey, signature: Uint8Array, bytes: Bytes) {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), bytes)
}

export const unclear = (title: string, ...shows: string[]): Finding => ({
  ...{ verdict: 'unclear', title, shows, limits: [] },
})

export const refuted = (title: string, ...shows: string[]): Finding => ({
  verdict: 'refuted',
  title,
  shows,
  limits: [
    'This does not say who changed it, or why. Copying can change a text too: ask again, save ' +
      'the response to a file, and choose that file here.',
  ],
})
