import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { inTime } from '~/service/deadline.ts'
import type { FileStore } from '~/service/file/kept-file.ts'
import { lastSettledDayMs, type Quarter, quarterAt } from '~/service/file/period.ts'

/** The maximum number of quarters that are listed: those of ten years. */
const QUARTERS_MAX = 40
const WAIT_MS_MAX = 1000
/** Cache time of the first observation; only older prices recorded later change it. */
const REMEMBERED_MS = HOUR_MS

/** The time of the first observation, read from the database at most once an hour. Mutable. */
export class FirstObservation {
  #ms: number | null = null
  #readMs = Number.NEGATIVE_INFINITY

  constructor(private readonly files: Pick<FileStore, 'firstMs'>) {}

  /** Null if there is none, or none is known because the database is unreachable. */
  async at(nowMs: number): Promise<number | null> {
    if (this.#ms !== null && nowMs - this.#readMs < REMEMBERED_MS) return this.#ms
    const message = 'the database is unreachable; retry shortly'
    try {
      this.#ms = await inTime(this.files.firstMs(), { msMax: WAIT_MS_MAX, message })
      this.#readMs = nowMs
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
    return this.#ms
  }
}

export type Settled = {
  /** The midnight of the last day whose file can be made. */
  readonly lastDayMs: number
  /** The quarters of those days, the newest first. */
  readonly quarters: readonly Quarter[]
}

/** The days with files, from that of the first observation on; null if there is none yet. */
export function settledDays(firstMs: number | null, nowMs: number): Settled | null {
  const lastDayMs = lastSettledDayMs(nowMs)
  if (firstMs === null || firstMs >= lastDayMs + DAY_MS) return null
  const quarters = [quarterAt(lastDayMs)]
  while (firstMs < quarters.at(-1)!.startMs && quarters.length < QUARTERS_MAX)
    quarters.push(quarterAt(quarters.at(-1)!.startMs - 1))
  return { lastDayMs, quarters }
}
