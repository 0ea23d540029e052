import type { Account, AccountPage, ListedAccount } from '~/domain/account.ts'
import type { AuditEntry, AuditPage } from '~/domain/audit.ts'
import type { ServiceError } from '~/domain/errors.ts'
import type { Sending } from '~/domain/feed/silence.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { errorReply } from '~/http/reply.ts'
import type { AgeLimits } from '~/memory/view.ts'
import type {
  FormFields,
  PageAnswer,
  PageRequest,
  PageRequestDeps,
  Person,
} from '~/portal/member/page-request.tsx'
import { unknownPage, wantsPage } from '~/portal/unknown-page.tsx'
import { wordsFor } from '~/portal/words/asked.ts'
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
    /** Changes an account and answers its new state, or null when it does not exist. */
    update(id: string, change: AccountChange, actor: string): Promise<Account | null>
    readonly revokeKey: OwnKeysDeps['keyStore']['revokeKey']
    /** The newest entries that fit with an id below `beforeId`, newest first. */
    changes(page: AuditPage): Promise<readonly AuditEntry[]>
    /** Returns the regularity of each provider that ever sent. */
    sendings(nowMs: number): Promise<readonly Sending[]>
  }
  /** Work that this process has done. */
  readonly work: () => WorkFigures
  /** The answer for a path that does not exist. */
  readonly unknownPath: () => ServiceError
}

type Reply = PageAnswer | Promise<PageAnswer>

/** An admin who is signed in, and the request they make. */
export type Operator = { readonly pageRequest: PageRequest; readonly person: Person }

/** An answer for admins; for anybody else the page does not exist. */
export const admin =
  (deps: OperatorDeps, answer: (operator: Operator) => Reply) =>
  (pageRequest: PageRequest): Reply =>
    forAdmins(deps, pageRequest, answer)

/** An answer to a form that only admins may send. */
export const adminForm =
  (deps: OperatorDeps, answer: (operator: Operator, form: FormFields) => Reply) =>
  (pageRequest: PageRequest, form: FormFields): Reply =>
    forAdmins(deps, pageRequest, (operator) => answer(operator, form))

function forAdmins(
  deps: OperatorDeps,
  pageRequest: PageRequest,
  answer: (operator: Operator) => Reply,
): Reply {
  const { person, request, url } = pageRequest
  if (person?.account.role === 'admin') return answer({ pageRequest, person })
  if (wantsPage(request)) {
    const words = wordsFor(request, deps.pages)
    return { page: { words, ...unknownPage(words, url.pathname) } }
  }
  return { response: errorReply(deps.unknownPath(), deps.log) }
}
