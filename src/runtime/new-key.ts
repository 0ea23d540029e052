import { keyHashOf, lastFourOf, type NewKeyText, newApiKey } from '~/domain/api-key.ts'

export const SHOWN_ONCE = 'Keep the key: it is shown this once and cannot be read again.'

/** A new random key, with its stored form. */
export function newKey(isReadOnly = false): NewKeyText {
  const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)), isReadOnly)
  return { key, hash: keyHashOf(key), lastFour: lastFourOf(key) }
}
