import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type HealthDeps = {
  /** Whether the database answers just now. */
  isDatabaseReachable(): Promise<boolean>
  /** Whether it is about to end, and wants no more requests. */
  isStopping?(): boolean
  /** Whether something was committed that memory could not be loaded with yet. */
  isBehind?(): boolean
}

/** For the machine that runs the service: is the process up, and can it do all of its work. */
export const healthRoutes = ({
  isDatabaseReachable,
  isStopping,
  isBehind,
}: HealthDeps): Route[] => [
  { method: 'GET', path: '/healthz', handle: () => jsonReply({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    async handle() {
      if (isStopping?.()) return unready('stopping', 'this replica is about to stop; ask another')
      if (!(await isDatabaseReachable()))
        return unready('database_unavailable', 'the database does not answer; memory serves reads')
      if (isBehind?.())
        return unready('behind', 'memory is not up to date with the database yet; ask another')
      return jsonReply({ status: 'ready' })
    },
  },
]

const RETRY_SECONDS = '5'

const unready = (code: string, error: string): Response =>
  jsonReply({ error, code }, 503, { 'retry-after': RETRY_SECONDS })
