import type { Account, AccountPage, ListedAccount } from '~/domain/account.ts'
import type { AuditEntry, AuditPage } from '~/domain/audit.ts'
import type { ServiceError } from '~/domain/errors.ts'
import type { Sending } from '~/domain/feed/silence.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { memberPages, nowhere } from '~/portal/member/member-pages.ts'
import type { PageRequestDeps } from '~/portal/member/page-request.tsx'
import type { Metering } from '~/service/metering.ts'
import type { OwnKeysDeps } from '~/service/own-keys.ts'
import type { WorkFigures } from './work.tsx'

/** Changes of an account; absent ones stay. `providers` without any lifts the limit. */
type AccountChange = { plan?: Plan; role?: Role; providers?: readonly string[] }

export type OperatorDeps = PageRequestDeps & {
  readonly metering: Metering
  readonly ageLimits: AgeLimits
  readonly operated: {
    /** A page of the accounts found, in order of creation, and how many there are in all. */
    page(page: AccountPage): Promise<{ accounts: readonly ListedAccount[]; total: number }>
    /** Changes an account and returns its new state, or null when it does not exist. */
    update(id: string, change: AccountChange, actor: string): Promise<Account | null>
    readonly revokeKey: OwnKeysDeps['keyStore']['revokeKey']
    /** The newest entries that fit with an id below `beforeId`, newest first. */
    changes(page: AuditPage): Promise<readonly AuditEntry[]>
    /** Returns the regularity of each provider that ever sent. */
    sendings(nowMs: number): Promise<readonly Sending[]>
  }
  /** Work that this process has done. */
  readonly work: () => WorkFigures
  readonly unknownPath: () => ServiceError
}

/** The pages of admins; for anyone else they do not exist. */
export const operatorPages = (deps: OperatorDeps) =>
  memberPages(deps, ({ pageRequest }, enter) => {
    const { person } = pageRequest
    return person?.account.role === 'admin' ? enter(person) : nowhere(deps, pageRequest)
  })
