import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { base64, base64Bytes } from './base64.ts'
import {
  COSIGNATURE_ED25519,
  cosignatureOf,
  cosigned,
  ID_BYTES,
  NOTE_ED25519,
  type Note,
  SIGNATURE_BYTES,
  type SignatureLine,
} from './note-text.ts'

const KEY_BYTES = 32

/** The key of a signer, by its name. */
export type NoteKey = {
  readonly name: string
  readonly type: number
  /** The 32 bytes of an Ed25519 public key. */
  readonly publicKey: Uint8Array
}

/** The id by which a signature names its key, as 8 hexadecimal digits. */
export const keyId = ({ name, type, publicKey }: NoteKey): string =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from(`${name}\n`), Uint8Array.of(type), publicKey]),
    'hex',
  ).slice(0, ID_BYTES * 2)

/** The string by which a key is published. */
export const verifierKey = (key: NoteKey): string =>
  `${key.name}+${keyId(key)}+${base64(Buffer.concat([Uint8Array.of(key.type), key.publicKey]))}`

/** The key in a published string; null if it is not one. */
export function noteKeyOf(text: string): NoteKey | null {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const bytes = base64Bytes(encoded ?? '')
  if (name === undefined || bytes === null) return null
  const key = { name, type: bytes[0] ?? 0, publicKey: bytes.subarray(1) }
  return key.publicKey.length === KEY_BYTES && keyId(key) === id ? key : null
}

const signatureText = ({ name, id, signature }: SignatureLine): string =>
  `— ${name} ${base64(Buffer.concat([Buffer.from(id, 'hex'), signature]))}\n`

/** A text that ends with a line feed, and the signatures below it. */
export const noteText = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(signatureText).join('')}`

/** The private key of 32 bytes. */
export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })

export function publicBytes(key: KeyObject): Uint8Array {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return der.subarray(der.length - KEY_BYTES)
}

/** Bytes before the 32 bytes of an Ed25519 key in DER. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

export const signedBy = (text: string, name: string, key: KeyObject): SignatureLine => ({
  name,
  id: keyId({ name, type: NOTE_ED25519, publicKey: publicBytes(key) }),
  signature: sign(null, Buffer.from(text), key),
})

/**
 * Reports whether a note has a valid signature of a key; null if the key did not sign it. A
 * cosignature counts whatever its time. https://c2sp.org/tlog-cosignature
 */
export function isSignedBy({ text, signatures }: Note, key: NoteKey): boolean | null {
  const id = keyId(key)
  const own = signatures.filter((line) => line.name === key.name && line.id === id)
  if (own.length === 0) return null
  return own.every(({ signature }) => {
    if (key.type !== COSIGNATURE_ED25519) return hasSigned(key, signature, text)
    const parts = cosignatureOf(signature)
    return parts !== null && hasSigned(key, parts.signature, cosigned(text, parts.seconds))
  })
}

const hasSigned = ({ publicKey }: NoteKey, signature: Uint8Array, text: string): boolean =>
  signature.length === SIGNATURE_BYTES &&
  verify(null, Buffer.from(text), publicKeyOf(publicKey), signature)

const publicKeyOf = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
