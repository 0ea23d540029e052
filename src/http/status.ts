import { freshnessAt } from '~/domain/freshness.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import { View } from '~/memory/view.ts'
import { statusOf } from '~/service/status.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { presentStatus, StatusResponse } from '~/wire/status/status.ts'
import type { HotDeps } from './access.ts'
import type { Route } from './route.ts'

export type StatusDeps = HotDeps & {
  /** Notice of a demonstration about its data; null for real data. */
  readonly sample: string | null
}

export function statusRoutes(deps: StatusDeps): Route[] {
  // These headers are changed in place: a Response copies the set that it is given.
  const headers = new Headers({ 'content-type': 'application/json', ...deps.guards })
  return [
    {
      method: 'GET',
      path: '/status',
      operation: {
        id: 'getStatus',
        tag: 'Service',
        summary: 'Public health',
        description:
          'How much data there is, the age of the newest quote and mid, and the state of the ' +
          'reference feeds.',
        query: NoQuery,
        access: 'public',
        isMetered: false,
        isTiered: false,
        success: { status: 200, body: StatusResponse },
      },
      isHot: true,
      handle(_request, { id }) {
        headers.set(REQUEST_ID_HEADER, id)
        return new Response(statusText(deps), { headers })
      },
    },
  ]
}

/** One cache key for all: nothing that a caller adds to the URL takes room in the cache. */
const QUESTION = 'status'

function statusText({ memory, clock, ageLimits, answers, sample }: StatusDeps): string {
  const nowMs = clock.now()
  const freshness = freshnessAt('realtime', nowMs)
  const known = answers.find(QUESTION, memory.current, freshness)
  if (known !== null) return known
  const view = new View(memory.current, freshness, ageLimits)
  const body = JSON.stringify(presentStatus(statusOf(view), { nowMs, sample }))
  return answers.keep(QUESTION, body, view)
}
