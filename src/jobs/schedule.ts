import { Cron } from 'croner'
import type { Log } from '~/log.ts'

export type Job = {
  readonly name: string
  /** The time when to run, in UTC; six fields if seconds matter. */
  readonly pattern: string
  /** Says whether it runs once when the schedule starts, too. */
  readonly isAtStart?: boolean
  /** Runs the job; the result is ignored. */
  run(): unknown
}

export type Schedule = {
  /** Runs a job now, off schedule, unless it is running. */
  runNow(name: string): void
  /** Starts no further run; resolves when the present ones have ended, or had their time to. */
  stop(): Promise<void>
}

/**
 * The time that runs get to end at a stop. One that takes longer is left to end with the process,
 * as in a crash, so that what is stopped after the jobs has its turn.
 */
const STOP_MS_MAX = 3_000

/** Reports whether a pattern recurs; a single date does not, nor does 31 February. */
export function isCronPattern(text: string): boolean {
  try {
    const cron = new Cron(text, { paused: true })
    return cron.getPattern() !== undefined && cron.nextRun() !== null
  } catch {
    return false
  }
}

/** The last time at or before `nowMs` that matches a pattern in a time zone; null for none. */
export function lastInstantMs(pattern: string, nowMs: number, timezone = 'UTC'): number | null {
  const cron = new Cron(pattern, { paused: true, timezone })
  return cron.previousRuns(1, new Date(nowMs + 1))[0]?.getTime() ?? null
}

/** Gives the first time after `nowMs` that matches a pattern; asked often, it computes rarely. */
export function instantsOf(pattern: string): (nowMs: number) => number {
  const cron = new Cron(pattern, { paused: true, utcOffset: 0 })
  let known = { fromMs: 0, nextMs: 0 }
  return (nowMs) => {
    if (nowMs < known.fromMs || nowMs >= known.nextMs)
      known = { fromMs: nowMs, nextMs: cron.nextRun(new Date(nowMs))!.getTime() }
    return known.nextMs
  }
}

/**
 * Runs each job by its pattern, never two runs of one job at a time.
 *
 * The first failure of a job and its recovery are logged; the runs between are not.
 */
export function startSchedule(jobs: readonly Job[], log: Log): Schedule {
  const running = new Map<string, Promise<void>>()
  const crons = new Map<string, Cron>()
  for (const job of jobs) {
    const run = watched(job, log)
    const turn = async () => {
      const ended = run()
      running.set(job.name, ended)
      await ended
      running.delete(job.name)
    }
    const cron = new Cron(job.pattern, { utcOffset: 0, protect: true }, turn)
    crons.set(job.name, cron)
    if (job.isAtStart) void cron.trigger()
  }
  return {
    runNow(name) {
      const cron = crons.get(name)
      if (cron && !cron.isStopped() && !cron.isBusy()) void cron.trigger()
    },
    async stop() {
      for (const cron of crons.values()) cron.stop()
      const { promise: overdue, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, STOP_MS_MAX)
      await Promise.race([Promise.all(running.values()), overdue])
      clearTimeout(timer)
      if (running.size > 0) log.warn({ jobs: [...running.keys()] }, 'jobs did not end in time')
    },
  }
}

function watched(job: Job, log: Log): () => Promise<void> {
  let isFailing = false
  return async () => {
    try {
      await job.run()
      if (isFailing) log.info({ job: job.name }, 'job works again')
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ job: job.name, err: error }, 'job failed')
      isFailing = true
    }
  }
}
