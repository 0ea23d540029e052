import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type HealthDeps = {
  /** Whether the database answers just now. */
  isDatabaseReachable(): Promise<boolean>
  /** Whether it is about to end, and wants no more requests. */
  isStopping?(): boolean
}

/** For the machine that runs the service: is the process up, and can it do all of its work. */
export const healthRoutes = ({ isDatabaseReachable, isStopping }: HealthDeps): Route[] => [
  { method: 'GET', path: '/healthz', handle: () => jsonReply({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    async handle() {
      if (isStopping?.()) {
        const error = 'this replica is about to stop; ask another'
        return jsonReply({ error, code: 'stopping' }, 503, { 'retry-after': '1' })
      }
      if (await isDatabaseReachable()) return jsonReply({ status: 'ready' })
      const error = 'the database does not answer; reads are served from memory meanwhile'
      return jsonReply({ error, code: 'database_unavailable' }, 503, { 'retry-after': '5' })
    },
  },
]
