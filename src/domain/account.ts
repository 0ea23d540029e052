import type { Plan, Role } from './quota.ts'

/** Who pays and who may do what; its keys share one quota. */
export type Account = {
  readonly id: string
  readonly email: string
  readonly plan: Plan
  readonly role: Role
}

export type Key = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** SHA-256 of the key, in hex: all that is known of it. */
  readonly hash: string
  /** From when on it is refused; ahead for a key that is being replaced. */
  readonly revokedMs: number | null
}

export const isRevoked = ({ revokedMs }: Pick<Key, 'revokedMs'>, nowMs: number): boolean =>
  revokedMs !== null && revokedMs <= nowMs
