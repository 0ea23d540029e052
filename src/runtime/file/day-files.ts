import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { correctedDayFiles, type DayFileDeps, keptDayFile } from '~/http/file/day-file.ts'
import type { Job } from '~/jobs/schedule.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { type DayFileStore, dayText, lastSettledDayMs } from '~/service/file/day-file.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createDayFileStore } from '~/store/file/day-file-store.ts'
import { orUnavailable } from '~/store/outage.ts'

const AWAY = 'the database with the files cannot be reached at the moment; retry shortly'
const BUSY = 'other files are being made at the moment; retry shortly'

/** The answer while a file is being made: its maker goes on. */
const LATE = {
  code: 'overloaded',
  message:
    'the file of this day is still being made, which takes longer than usual; ' +
    'ask again as Retry-After says',
  retrySeconds: 10,
} as const
/** How long the job waits for a file; no request waits with it. */
const JOB_MS_MAX = HOUR_MS

/** How many files are made at once; each takes a second or so and a connection to the database. */
const BOUNDS = { runningMax: 1, waitingMax: 4, refusal: BUSY }

/**
 * The files of days, in the database. A file that takes too long for its caller is finished all the
 * same, so that the next one finds it.
 */
export function dayFilesOf(database: Database, msMax = ANSWER_MS_MAX): DayFileStore {
  const store = createDayFileStore(database)
  const limit = new WorkLimit(BOUNDS)
  return {
    find: (day) => orUnavailable(inTime(store.find(day), { msMax, message: AWAY }), AWAY),
    edition: (day, edition) =>
      orUnavailable(inTime(store.edition(day, edition), { msMax, message: AWAY }), AWAY),
    keep(day, make, knownMs) {
      const kept = limit.run(() => store.keep(day, make, knownMs))
      return orUnavailable(inTime(kept, { msMax, ...LATE }), AWAY)
    },
  }
}

type JobDeps = Omit<DayFileDeps, 'dayFiles'> & {
  readonly clock: { now(): number }
  readonly database: Database
}

/** How many days the job makes files of, so that those it missed are made later. */
const DAYS_MAX = 31

/**
 * Makes new editions after corrections, then the file of each day once it can be made, so that
 * nobody waits for it and every day has one.
 */
export const dayFileJob = (deps: JobDeps): Job => ({
  name: 'day-file',
  pattern: '1 1 * * *',
  run: () => orUnavailable(makeFiles(deps), AWAY),
})

async function makeFiles(deps: JobDeps): Promise<void> {
  const nowMs = deps.clock.now()
  const lastMs = lastSettledDayMs(nowMs)
  const last = dayText(lastMs)
  const store = createDayFileStore(deps.database)
  await correctedDayFiles({ ...deps, corrections: store }, { day: last, nowMs })
  const dayFiles = dayFilesOf(deps.database, JOB_MS_MAX)
  for (const day of await store.missing(dayText(lastMs - (DAYS_MAX - 1) * DAY_MS), last))
    await keptDayFile({ ...deps, dayFiles }, { day, nowMs }).catch(unlessEmpty)
}

/** Throws what is not about a day before the first observation. */
function unlessEmpty(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'unknown_file') throw error
}
