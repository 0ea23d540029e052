import type { Clock } from '~/clock.ts'
import type { Caller } from '~/domain/account.ts'
import { granted } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { callerOf, type KeyAccess } from '~/service/access.ts'
import type { Metering } from '~/service/metering.ts'
import { type CallerIds, noteCaller } from '~/telemetry/request-scope.ts'
import { credentialOf } from '~/wire/credential.ts'
import type { AnswerCache } from '~/wire/text/answer-cache.ts'
import type { Handler } from './handler.ts'
import type { KnownDeps } from './known/past.ts'
import { type Headers, orError, type Refusals } from './reply.ts'

export type AccessDeps = KeyAccess & {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

/** Dependencies of reads from memory besides access. */
export type HotDeps = AccessDeps &
  KnownDeps & {
    readonly answers: AnswerCache
    readonly refusals: Refusals
    /** Headers for browsers on every response. */
    readonly guards: Headers
  }

/** The owner of the key in the request's header; throws a 401. */
export async function callerOfRequest(
  access: KeyAccess,
  request: Request,
  nowMs: number,
): Promise<Caller> {
  const caller = granted(await callerOf(access, credentialOf(request.headers), nowMs))
  noteCaller(idsOf(caller))
  return caller
}

type KeyedAsk = { readonly request: Request; readonly caller: Caller; readonly nowMs: number }

/** A handler of requests with a key, each at no cost; an error becomes its reply. */
export const keyed = (
  access: AccessDeps,
  answer: (ask: KeyedAsk) => Response | Promise<Response>,
): Handler =>
  orError(access, async (request) => {
    const nowMs = access.clock.now()
    return answer({ request, caller: await callerOfRequest(access, request, nowMs), nowMs })
  })

export const idsOf = ({ account, key }: Caller): CallerIds => ({
  account_id: account.id,
  key_id: key.id,
})
