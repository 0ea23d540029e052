import { freshnessAt } from '~/domain/freshness.ts'
import { View } from '~/memory/view.ts'
import { statusOf } from '~/service/status.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { presentStatus, StatusResponse } from '~/wire/status.ts'
import type { AccessDeps } from './access.ts'
import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type StatusDeps = AccessDeps & {
  /** What a demonstration says of its data; null for real data. */
  readonly sample: string | null
}

export const statusRoutes = ({ memory, clock, ageLimits, sample }: StatusDeps): Route[] => [
  {
    method: 'GET',
    path: '/status',
    operation: {
      id: 'getStatus',
      tag: 'Service',
      summary: 'Public health',
      description:
        'How much there is, how old the newest quote and the newest mid are, and how the ' +
        'reference feeds fare.',
      query: NoQuery,
      access: 'public',
      isMetered: false,
      isTiered: false,
      success: { status: 200, body: StatusResponse },
    },
    handle() {
      const nowMs = clock.now()
      const view = new View(memory.current, freshnessAt('realtime', nowMs), ageLimits)
      return jsonReply(presentStatus(statusOf(view), { nowMs, sample }))
    },
  },
]
