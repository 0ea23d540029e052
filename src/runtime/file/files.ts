import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { correctedFiles, type FileDeps, keptFile } from '~/http/file/making.ts'
import type { Job } from '~/jobs/schedule.ts'
import { around } from '~/runtime/around.ts'
import { reached } from '~/runtime/reached.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import type { FileStore } from '~/service/file/kept-file.ts'
import {
  dayText,
  isDay,
  lastSettledDayMs,
  lastSettledMonth,
  periodOf,
  RECENT_DAYS,
} from '~/service/file/period.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createFileStore } from '~/store/file/file-store.ts'
import { orUnavailable } from '~/store/outage.ts'

const AWAY = 'the database with the files is unreachable; retry shortly'
const BUSY = 'other files are being made; retry shortly'

/** The response while a file is being made; the work on the file goes on. */
const LATE = {
  code: 'overloaded',
  message:
    'this file is still being made, which takes longer than usual; ' +
    'ask again as Retry-After says',
  retrySeconds: 10,
} as const
/** The longest time that the job waits for a file; no request waits with it. */
const JOB_MS_MAX = HOUR_MS

/**
 * The maximum number of files of days, and of months, that are created at once. A day's file takes
 * about a second, a month's up to minutes, each on a connection of its own.
 */
const BOUNDS = { runningMax: 1, waitingMax: 4, refusal: BUSY }

/**
 * The files of days and months, in the database. A file that takes too long for its caller is
 * finished all the same, so that the next one finds it.
 */
export function filesOf(database: Database, msMax = ANSWER_MS_MAX): FileStore {
  const store = createFileStore(database)
  const [days, months] = [new WorkLimit(BOUNDS), new WorkLimit(BOUNDS)]
  return {
    ...around(store, (ask) => reached(ask(), AWAY, msMax)),
    keep(making) {
      const kept = (isDay(making.period) ? days : months).run(() => store.keep(making))
      return orUnavailable(inTime(kept, { msMax, ...LATE }), AWAY)
    },
  }
}

type JobDeps = Omit<FileDeps, 'files'> & {
  readonly clock: { now(): number }
  readonly database: Database
}

/**
 * Creates new editions after corrections, then the file of each day and month once it can be
 * created, so that no client waits for it; also missed files of recent days.
 */
export const fileJob = (deps: JobDeps): Job => ({
  name: 'day-file',
  pattern: '1 1 * * *',
  run: () => orUnavailable(makeFiles(deps), AWAY),
})

async function makeFiles(deps: JobDeps): Promise<void> {
  const nowMs = deps.clock.now()
  const lastMs = lastSettledDayMs(nowMs)
  const store = createFileStore(deps.database)
  await correctedFiles({ ...deps, corrections: store }, { before: dayText(lastMs), nowMs })
  const files = filesOf(deps.database, JOB_MS_MAX)
  const days = Array.from({ length: RECENT_DAYS }, (_, n) => dayText(lastMs - n * DAY_MS)).reverse()
  for (const name of await store.missing([...days, lastSettledMonth(nowMs)]))
    await keptFile({ ...deps, files }, { period: periodOf(name)!, nowMs }).catch(unlessEmpty)
}

/** Throws any error other than that of a period without observations. */
function unlessEmpty(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'unknown_file') throw error
}
