import { isRevoked, type Key } from '~/domain/account.ts'

/** A key's name, with what tells it from the one that took its place under the same name. */
export function keyLabel(key: Key, nowMs: number): string {
  if (key.revokedMs === null) return key.name
  return `${key.name} (${isRevoked(key, nowMs) ? 'ended' : 'ending'})`
}
