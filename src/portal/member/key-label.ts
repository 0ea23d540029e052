import { isRevoked, type Key } from '~/domain/account.ts'

/** A key's name, with a mark that tells it from the key that replaced it under that name. */
export function keyLabel(key: Key, nowMs: number): string {
  if (key.revokedMs === null) return key.name
  return `${key.name} (${isRevoked(key, nowMs) ? 'ended' : 'ending'})`
}
