import type { Clock } from '~/clock.ts'
import type { Caller } from '~/domain/account.ts'
import { granted } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { callerOf, type KeyAccess } from '~/service/access.ts'
import type { Metering } from '~/service/metering.ts'
import { credentialOf } from '~/wire/credential.ts'
import type { AnswerCache } from '~/wire/text/answer-cache.ts'
import type { Headers, Refusals } from './reply.ts'

export type AccessDeps = KeyAccess & {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

/** What reads from memory need besides access. */
export type HotDeps = AccessDeps & {
  readonly answers: AnswerCache
  readonly refusals: Refusals
  /** Headers for browsers on every answer. */
  readonly guards: Headers
}

/** The owner of the key in the request's header; throws a 401. */
export const callerOfRequest = async (
  access: KeyAccess,
  request: Request,
  nowMs: number,
): Promise<Caller> => granted(await callerOf(access, credentialOf(request.headers), nowMs))
