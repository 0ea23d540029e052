import { base64Bytes, hex } from './base64.ts'

/** The kind of plain signatures. https://c2sp.org/signed-note */
export const NOTE_ED25519 = 1
/** The kind of the signatures of witnesses. https://c2sp.org/tlog-cosignature */
export const COSIGNATURE_ED25519 = 4

export const SIGNATURE_BYTES = 64
const TIME_BYTES = 8

/** The length of the id of a key. */
export const ID_BYTES = 4
const SIGNATURES_MAX = 64

export type SignatureLine = {
  readonly name: string
  readonly id: string
  readonly signature: Uint8Array
}

export type Note = { readonly text: string; readonly signatures: readonly SignatureLine[] }

/** The parts of a note; null for a string that is not one. */
export function noteOf(all: string): Note | null {
  const end = all.lastIndexOf('\n\n')
  if (end < 0 || !all.endsWith('\n')) return null
  const lines = all.slice(end + 2, -1).split('\n')
  const signatures = lines.slice(0, SIGNATURES_MAX + 1).map(signatureLineOf)
  if (signatures.length > SIGNATURES_MAX || signatures.includes(null)) return null
  return { text: all.slice(0, end + 1), signatures: signatures as SignatureLine[] }
}

/** The signature in a line, which ends without a line feed; null if it is none. */
function signatureLineOf(line: string): SignatureLine | null {
  const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? []
  const bytes = base64Bytes(encoded ?? '')
  if (name === undefined || bytes === null || bytes.length <= ID_BYTES) return null
  const id = hex(bytes.subarray(0, ID_BYTES))
  return { name, id, signature: bytes.subarray(ID_BYTES) }
}

/** The message that a witness signs. */
export const cosigned = (text: string, seconds: bigint): string =>
  `cosignature/v1\ntime ${seconds}\n${text}`

/** The time and the signature of a witness in its bytes; null if their length is another. */
export function cosignatureOf(bytes: Uint8Array) {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return null
  const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
  return { seconds, signature: bytes.subarray(TIME_BYTES) }
}
