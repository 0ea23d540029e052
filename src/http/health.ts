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

/** Why a replica does not do all of its work; null when it does. */
export async function unreadinessOf(deps: HealthDeps): Promise<Unreadiness | null> {
  if (deps.isStopping?.()) return 'stopping'
  if (!(await deps.isDatabaseReachable())) return 'database_unavailable'
  return deps.isBehind?.() ? 'behind' : null
}

const REASONS = {
  stopping: 'this replica is about to stop; ask another',
  database_unavailable: 'the database does not answer; memory serves reads',
  behind: 'memory is not up to date with the database yet; ask another',
}

type Unreadiness = keyof typeof REASONS

export const UNREADINESSES = Object.keys(REASONS) as Unreadiness[]

/** For the machine that runs the service: is the process up, and can it do all of its work. */
export const healthRoutes = (deps: HealthDeps): Route[] => [
  { method: 'GET', path: '/healthz', handle: () => jsonReply({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    async handle() {
      const code = await unreadinessOf(deps)
      if (code === null) return jsonReply({ status: 'ready' })
      const retry = { 'retry-after': RETRY_SECONDS }
      return jsonReply({ error: REASONS[code], code }, 503, retry)
    },
  },
]

const RETRY_SECONDS = '5'
