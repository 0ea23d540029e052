import { Cron } from 'croner'
import type { Log } from '~/log.ts'

export type Job = {
  readonly name: string
  /** When to run, in UTC; six fields where seconds matter. */
  readonly pattern: string
  run(): Promise<void> | void
}

export type Schedule = {
  /** No new run begins; resolves when the runs under way have ended. */
  stop(): Promise<void>
}

/** Whether a text is a pattern that comes round; a single date is none, nor is 31 February. */
export function isCronPattern(text: string): boolean {
  try {
    const cron = new Cron(text, { paused: true })
    return cron.getPattern() !== undefined && cron.nextRun() !== null
  } catch {
    return false
  }
}

/**
 * Runs each job by its pattern, never two runs of one job at a time.
 *
 * A job that begins to fail, and one that recovers, is logged once; the runs between are not.
 */
export function startSchedule(jobs: readonly Job[], log: Log): Schedule {
  const running = new Set<Promise<void>>()
  const crons = jobs.map((job) => {
    const run = watched(job, log)
    return new Cron(job.pattern, { timezone: 'UTC', protect: true }, async () => {
      const turn = run()
      running.add(turn)
      await turn
      running.delete(turn)
    })
  })
  return {
    async stop() {
      for (const cron of crons) cron.stop()
      await Promise.all(running)
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
