import { freshnessAt } from '~/domain/freshness.ts'
import { View } from '~/memory/view.ts'
import { statusOf } from '~/service/status.ts'
import { presentStatus } from '~/wire/status.ts'
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
    handle() {
      const nowMs = clock.now()
      const view = new View(memory.current, freshnessAt('realtime', nowMs), ageLimits)
      return jsonReply(presentStatus(statusOf(view), { nowMs, sample }))
    },
  },
]
