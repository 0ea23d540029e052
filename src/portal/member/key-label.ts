import { isRevoked, type Key } from '~/domain/account.ts'
import type { Words } from '~/portal/words/words.ts'

/** A key's name, with a mark that tells it from the key that replaced it under that name. */
export function keyLabel({ say }: Words, key: Key, nowMs: number): string {
  const { name } = key
  if (key.revokedMs === null) return name
  return say(isRevoked(key, nowMs) ? 'keys.label-ended' : 'keys.label-ending', { name })
}
