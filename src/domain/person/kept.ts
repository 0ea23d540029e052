import type { ListedKey } from '~/domain/account.ts'
import type { Alert } from '~/domain/alert/alert.ts'
import type { Delivery } from '~/domain/alert/delivery.ts'
import type { AuditEntry } from '~/domain/audit.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import type { UploadChoices } from '~/domain/upload.ts'
import type { Factors, OwnSession } from './profile.ts'

/** Everything that is stored about a person and the person's own account. */
export type Kept = {
  readonly person: {
    readonly email: string
    readonly createdMs: number
    /** The language of the person's emails, by its code; null if it is unknown. */
    readonly language: string | null
  }
  readonly account: {
    readonly id: string
    readonly plan: Plan
    readonly role: Role
    readonly createdMs: number
  }
  readonly factors: Factors
  readonly sessions: readonly OwnSession[]
  readonly keys: readonly ListedKey[]
  readonly usage: readonly { day: string; keyId: string; requests: number }[]
  readonly applications: readonly { name: string; clientId: string; createdMs: number }[]
  readonly alerts: readonly Alert[]
  readonly deliveries: readonly Pick<Delivery, 'alertId' | 'createdMs' | 'status' | 'body'>[]
  readonly changes: readonly Omit<AuditEntry, 'id' | 'accountId'>[]
  readonly uploads: readonly (SentTable & { recordedMs: number; withdrawnMs: number | null })[]
  readonly drafts: readonly (SentTable & { createdMs: number })[]
  readonly layouts: readonly Layout[]
}

export type SentTable = {
  readonly fileName: string
  /** The address of the person who sent it. */
  readonly person: string | null
  readonly rowCount: number
}

/** The reading of tables with certain columns. */
type Layout = {
  readonly header: readonly string[]
  readonly choices: Pick<UploadChoices, 'columns'>
  readonly usedMs: number
}
