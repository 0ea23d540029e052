import { ServiceError } from '~/domain/errors.ts'
import { type DayFileDeps, keptDayFile } from '~/http/file/day-file.ts'
import type { Job } from '~/jobs/schedule.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { type DayFileStore, lastSettledDayMs } from '~/service/file/day-file.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import type { Database } from '~/store/database.ts'
import { createDayFileStore } from '~/store/file/day-file-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { iso } from '~/wire/present.ts'

const AWAY = 'the database with the files cannot be reached at the moment; retry shortly'
const BUSY = 'other files are being made at the moment; retry shortly'

/** How many files are made at once; each takes a second or so and a connection to the database. */
const BOUNDS = { runningMax: 1, waitingMax: 4, refusal: BUSY }

/**
 * The files of days, in the database. A file that takes too long for its caller is finished all the
 * same, so that the next one finds it.
 */
export function dayFilesOf(database: Database): DayFileStore {
  const store = createDayFileStore(database)
  const limit = new WorkLimit(BOUNDS)
  const due = <T>(work: Promise<T>) =>
    orUnavailable(inTime(work, { msMax: ANSWER_MS_MAX, message: AWAY }), AWAY)
  return {
    find: (day) => due(store.find(day)),
    keep: (day, make) => due(limit.run(() => store.keep(day, make))),
  }
}

/** Makes the file of each day once it can be made, so that nobody waits for it. */
export const dayFileJob = (deps: DayFileDeps & { clock: { now(): number } }): Job => ({
  name: 'day-file',
  pattern: '1 1 * * *',
  async run() {
    const nowMs = deps.clock.now()
    const day = iso(lastSettledDayMs(nowMs)).slice(0, 'YYYY-MM-DD'.length)
    try {
      await keptDayFile(deps, day, nowMs)
    } catch (error) {
      const isNothing = error instanceof ServiceError && error.code === 'unknown_file'
      if (!isNothing) throw error
    }
  },
})
