import { jsonReply } from './reply.ts'
import type { Route } from './route.ts'

export type HealthDeps = {
  /** Reports whether the database currently responds. */
  isDatabaseReachable(): Promise<boolean>
  /** Says whether the service is about to stop and wants no more requests. */
  isStopping?(): boolean
  /** Says whether something was committed that memory could not load yet. */
  isBehind?(): boolean
  /** Says whether the database has room for what is recorded; absent if nothing can be. */
  isRecording?(): boolean
  /** The servers of a distributed database that do not respond; absent for one PostgreSQL. */
  workers?(): WorkersAway
}

/** The number of servers, of unreachable ones, of corridors on those, and of unloaded corridors. */
export type WorkersAway = {
  readonly workers: number
  readonly away: number
  readonly corridors: number
  readonly unloaded: number
}

/** Reason why a replica cannot do all of its work; null when it can. */
export async function unreadinessOf(deps: HealthDeps): Promise<Unreadiness | null> {
  if (deps.isStopping?.()) return 'stopping'
  if (!(await deps.isDatabaseReachable())) return 'database_unavailable'
  return deps.isBehind?.() ? 'behind' : null
}

const REASONS = {
  stopping: 'this replica is about to stop; use another',
  database_unavailable: 'the database does not respond; memory serves reads',
  behind: 'memory is not up to date with the database yet; use another',
}

type Unreadiness = keyof typeof REASONS

export const UNREADINESSES = Object.keys(REASONS) as Unreadiness[]

/**
 * Routes for the machine that runs the service: is the process up, and can it do all of its work?
 */
export const healthRoutes = (deps: HealthDeps): Route[] => [
  { method: 'GET', path: '/healthz', handle: () => jsonReply({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    async handle() {
      const code = await unreadinessOf(deps)
      if (code === null) return jsonReply({ status: 'ready', ...readyOf(deps) })
      const retry = { 'retry-after': RETRY_SECONDS }
      return jsonReply({ error: REASONS[code], code }, 503, retry)
    },
  },
]

/** Unreachable parts of a replica that is ready: it serves whatever live data it could load. */
function readyOf({ workers, isRecording }: HealthDeps) {
  const { away = 0, workers: all, corridors, unloaded = 0 } = workers?.() ?? {}
  const missing = []
  const recording = isRecording?.()
  if (recording === false)
    missing.push('room on the disk of the database: nothing can be recorded, reads go on')
  if (away > 0)
    missing.push(
      `database workers that do not respond: ${away} of ${all}; ` +
        `the history of ${corridors} corridors is unreachable and cannot be recorded`,
    )
  if (unloaded > 0)
    missing.push(`the prices of ${unloaded} corridors could not be loaded yet, live ones too`)
  return {
    ...(recording !== undefined && { recording }),
    ...(missing.length > 0 && { missing: missing.join('; ') }),
  }
}

const RETRY_SECONDS = '5'
