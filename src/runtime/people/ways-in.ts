import type { Config } from '~/config.ts'
import type { Log } from '~/log.ts'
import { around } from '~/runtime/around.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createAuth } from '~/store/portal/auth.ts'
import type { AuthOptions, PasswordHashing } from '~/store/portal/better-auth.ts'
import { createFactorStore } from '~/store/portal/factor-store.ts'
import { keptOf } from '~/store/portal/kept-store.ts'
import { createPasskeys } from '~/store/portal/passkeys.ts'
import { createProfileStore } from '~/store/portal/profile-store.ts'
import { createSessionStore } from '~/store/portal/session-store.ts'

/** Measures that make it costly and slow to guess addresses and passwords. */
export type Deterrents = {
  readonly passwords?: PasswordHashing
  waited(ms: number): Promise<void>
}

export type Shared = Pick<AuthOptions, 'secret' | 'cookiePrefix' | 'cookiePath'>

/** The maximum number of concurrent password checks; each takes 0.1 s of a processor, 32 MB. */
const PASSWORDS = { runningMax: 2, waitingMax: 32 }

/** Accounts of people, with a limit on password checks. */
export function authOf(database: Database, options: AuthOptions): ReturnType<typeof createAuth> {
  const auth = createAuth(database, options)
  const limit = new WorkLimit(PASSWORDS)
  return around(auth, (work) => limit.run(work), [
    ...(['signUp', 'signIn', 'reset', 'isPassword', 'changePassword'] as const),
    ...(['beginApp', 'newCodes'] as const),
  ])
}

type Options = {
  readonly config: Pick<Config, 'sessionIdleMs' | 'secondFactorRoles'>
  readonly database: Database
  readonly log: Log
}

export function profilesOf(
  { config, database, log }: Options,
  shared: Shared & { home(): string },
) {
  return {
    passkeys: createPasskeys(database, {
      ...shared,
      onFault: (message) => log.warn({}, message),
    }),
    factors: createFactorStore(database),
    sessions: createSessionStore(database),
    profiles: createProfileStore(database),
    keptOf: (own: Parameters<typeof keptOf>[1]) => keptOf(database, own),
    sessionIdleMs: config.sessionIdleMs,
    secondFactorRoles: config.secondFactorRoles,
  }
}
