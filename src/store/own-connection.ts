import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql } from './database.ts'

const CLOSE_SECONDS_MAX = 5
/** The longest that a connection which waited may take to respond. */
const RESPONSE_MS_MAX = 1_000
/** The time for which a connection waits for the next work. */
export const WAITING_MS_MAX = 5_000

/** The connections of each pool that wait for work, with the timers that will close them. */
const waiting = new WeakMap<Sql, Waiting>()
type Waiting = Map<Sql, NodeJS.Timeout>

/**
 * One more connection to the same database, or up to `max`, outside the pool and never recycled,
 * for a resource of a session such as an advisory lock. The caller has to end it.
 */
export function ownConnection(sql: Sql, max = 1): Sql {
  const { options } = sql
  return postgres({
    ...options,
    shared: { retries: 0, typeArrayMap: {} },
    max,
    idle_timeout: undefined,
    max_lifetime: null,
    silence_timeout: null,
    debug: false,
    onclose: () => {},
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql
}

/**
 * Runs work on a connection outside the pool, or on up to `max`, which no other work uses
 * meanwhile. The work leaves only advisory locks behind, which are released, also after an error. A
 * single connection then waits a few seconds for the next work.
 */
export async function onOwnConnection<T>(
  sql: Sql,
  work: (own: Sql) => Promise<T>,
  max = 1,
): Promise<T> {
  const there: Waiting = max === 1 ? waitingOf(sql) : new Map()
  const own = (await responding(there)) ?? ownConnection(sql, max)
  try {
    return await work(own)
  } finally {
    const isKept = max === 1 && (await isFreed(own, CLOSE_SECONDS_MAX * 1000))
    if (isKept && waiting.get(sql) === there) {
      const end = () => there.delete(own) && closed(own)
      there.set(own, setTimeout(end, WAITING_MS_MAX))
    } else await closed(own)
  }
}

/**
 * Takes the connection used last of those that wait. A network that drops packets leaves silent
 * ones, on which a query would wait for a quarter of an hour: they are all given up.
 */
async function responding(there: Waiting): Promise<Sql | null> {
  const [own, timer] = [...there].at(-1) ?? []
  if (!own) return null
  clearTimeout(timer)
  there.delete(own)
  if (await isFreed(own, RESPONSE_MS_MAX)) return own
  for (const [silent, timer] of there) {
    clearTimeout(timer)
    void closed(silent)
  }
  there.clear()
  void closed(own)
  return null
}

/** Releases the locks of a connection; false if it does not respond, as after hours of silence. */
const isFreed = (own: Sql, msMax: number): Promise<boolean> =>
  Promise.race([
    own`select pg_advisory_unlock_all()`.then(
      () => true,
      () => false,
    ),
    delay(msMax, false, { ref: false }),
  ])

/** The connections of a pool that wait for work, which are closed with the pool. */
function waitingOf(sql: Sql): Waiting {
  const known = waiting.get(sql)
  if (known) return known
  const there: Waiting = new Map()
  waiting.set(sql, there)
  const { end } = sql
  sql.end = async (options) => {
    waiting.delete(sql)
    for (const timer of there.values()) clearTimeout(timer)
    await Promise.all([end(options), ...[...there.keys()].map(closed)])
  }
  return there
}

const closed = (own: Sql) => own.end({ timeout: CLOSE_SECONDS_MAX })
