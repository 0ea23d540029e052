import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type HealthDeps = {
  /** Whether the database answers just now. */
  isDatabaseReachable(): Promise<boolean>
}

/** For the machine that runs the service: is the process up, and can it do all of its work. */
export const healthRoutes = ({ isDatabaseReachable }: HealthDeps): Route[] => [
  { method: 'GET', path: '/healthz', handle: () => jsonReply({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    async handle() {
      if (await isDatabaseReachable()) return jsonReply({ status: 'ready' })
      const error = 'the database does not answer; reads are served from memory meanwhile'
      return jsonReply({ error, code: 'database_unavailable' }, 503, { 'retry-after': '5' })
    },
  },
]
