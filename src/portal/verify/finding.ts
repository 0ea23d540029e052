import type { FindingKey, Said } from './said.ts'

/** Result of checking a pasted text, in sentences. */
export type Finding = {
  /** `proved`: all of it fits; `refuted`: something does not; `unclear`: not to be checked. */
  readonly verdict: 'proved' | 'refuted' | 'unclear'
  readonly title: string
  readonly shows: readonly string[]
  readonly limits: readonly string[]
  /** The entry of the log that was proved, as a string. */
  readonly entry?: string
}

export type PublicKey = { readonly kid: string; readonly x: string }

/** The public key of a witness of the log, with its bytes as in a JSON Web Key. */
export type WitnessKey = { readonly name: string; readonly x: string }

/** Data of the service for checking a text. */
export type Published = {
  readonly keys: readonly PublicKey[]
  /** The name of the service's log; null before its first checkpoint. */
  readonly origin: string | null
  readonly witnesses: readonly WitnessKey[]
}

/** Data for checking a text, and words for the outcome. */
export type Known = Published & Said

type Bytes = Uint8Array<ArrayBuffer>

export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text)

export const joined = (...parts: readonly Uint8Array[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

export const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** Reports whether a key signed these bytes. */
export async function isSigned(
  { x }: Pick<PublicKey, 'x'>,
  signature: Uint8Array,
  bytes: Bytes,
): Promise<boolean> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), bytes)
}

/** Name of an outcome that has a title and, as another message, the reason. */
type Outcome = FindingKey extends infer K
  ? K extends `verify-finding.${infer Name}-why`
    ? Name
    : never
  : never

type Values = Parameters<Said['say']>[1]

const outcomeOf = ({ say }: Said, name: Outcome, values: Values) => ({
  title: say(`verify-finding.${name}`),
  shows: [say(`verify-finding.${name}-why`, values)],
})

export const unclear = (said: Said, name: Outcome, values?: Values): Finding => ({
  verdict: 'unclear',
  ...outcomeOf(said, name, values),
  limits: [],
})

export const refuted = (said: Said, name: Outcome, values?: Values): Finding => ({
  verdict: 'refuted',
  ...outcomeOf(said, name, values),
  limits: [said.say('verify-finding.limit-refuted')],
})
