import { setTimeout as delay } from 'node:timers/promises'

/** What a test or a hook of real processes may take on a busy machine. */
export const TEST_MS_MAX = 30_000

const UNTIL_MS_MAX = 20_000
const POLL_MS = 10

/** Polls until `condition` holds; fails after a while. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + UNTIL_MS_MAX
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never came: ${what}`)
    await delay(POLL_MS)
  }
}
