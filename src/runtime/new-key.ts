import { keyHashOf, newApiKey } from '~/domain/api-key.ts'

/** What a key's owner has to know when it is printed. */
export const SHOWN_ONCE = 'Keep the key: it is shown this once and cannot be read again.'

/** A key nobody has yet, with what is stored of it. */
export function newKey(): { key: string; hash: string } {
  const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
  return { key, hash: keyHashOf(key) }
}
