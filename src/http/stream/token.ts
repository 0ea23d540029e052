import { keyed } from '~/http/access.ts'
import { jsonReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { quotaAt } from '~/service/metering.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { iso } from '~/wire/present.ts'
import { NO_STORE, quotaHeaders } from '~/wire/quota.ts'
import { StreamTokenResponse } from '~/wire/stream/request.ts'
import type { StreamDeps } from './stream-deps.ts'

/** Gives out tokens that open streams. */
export const streamTokenRoute = (deps: StreamDeps): Route => ({
  method: 'POST',
  path: '/stream/token',
  operation: {
    id: 'createStreamToken',
    tag: 'Rates',
    summary: 'A token that opens streams, for browsers',
    description:
      'A browser cannot set headers on an EventSource. A server that has the key requests a ' +
      'token and passes it to its page, which connects to /stream with `token`, any number of ' +
      'times within two minutes. A token is valid only while its key is. The request has no body.',
    errors: ['database_unavailable'],
    query: NoQuery,
    ...{ access: 'key', isMetered: false, isTiered: false },
    success: { status: 200, body: StreamTokenResponse },
  },
  handle: keyed(deps, async ({ caller, nowMs }) => {
    const { token, expiresMs } = await deps.streams.tokens.issued(caller.key, nowMs)
    const headers = quotaHeaders(quotaAt(deps.metering, caller, nowMs), nowMs)
    const body = { token, expires_at: iso(expiresMs) }
    return jsonReply(body, 200, { ...headers, 'cache-control': NO_STORE })
  }),
})
