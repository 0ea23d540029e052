import { setTimeout as delay } from 'node:timers/promises'
import { processLogs } from './process-log.ts'

/** Time that a test or a hook of real processes may take on a busy machine. */
export const TEST_MS_MAX = 120_000

/** Only what never comes takes as long: a process begins in half a minute on a crowded machine. */
const UNTIL_MS_MAX = TEST_MS_MAX / 2
const POLL_MS_MIN = 10
const POLL_MS_MAX = 100
/** Share of the waiting time so far until the next check. */
const POLL_SHARE = 0.05

/** Polls until `condition` holds, at growing intervals; fails after a while. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const startMs = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - startMs
    if (waitedMs > UNTIL_MS_MAX) throw new Error(`never came: ${what}${processLogs()}`)
    await delay(Math.min(Math.max(POLL_MS_MIN, waitedMs * POLL_SHARE), POLL_MS_MAX))
  }
}
