import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { base64 } from './base64.ts'
import { ENTRY_BYTES_MAX } from './bundle.ts'

/** The length of a salt, which keeps an entry from being guessed by its hash. */
export const SALT_BYTES = 16

/** Content of an entry; null fields are left out. */
export type Entry = Readonly<Record<string, unknown>> & {
  readonly kind: string
  readonly id: number
}

/**
 * The bytes of an entry: canonical JSON with its salt. https://www.rfc-editor.org/rfc/rfc8785
 *
 * One that is too long for a bundle is there by the hash of its bytes.
 */
export function entryBytes(entry: Entry, salt: Uint8Array): Uint8Array {
  const bytes = canonicalBytes({ ...entry, salt: base64(salt) })
  if (bytes.length <= ENTRY_BYTES_MAX) return bytes
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return canonicalBytes({ kind: entry.kind, id: entry.id, salt: base64(salt), sha256 })
}

/** Without nested values the names in order make JSON canonical, sooner than the library does. */
function canonicalBytes(said: Readonly<Record<string, unknown>>): Uint8Array {
  const sorted: Record<string, unknown> = {}
  let isFlat = true
  for (const name of Object.keys(said).sort()) {
    const value = said[name] ?? null
    if (value === null) continue
    sorted[name] = value
    if (typeof value === 'object') isFlat = false
  }
  return Buffer.from(isFlat ? JSON.stringify(sorted) : canonicalize(sorted)!)
}
