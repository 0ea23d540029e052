import { inTime } from '~/service/deadline.ts'

const READY_MS_MAX = 1000

/**
 * Returns a check whether a part responds within a second. It sends no second query while one is
 * open, however many callers ask, so that a part that hangs gets no more work.
 */
export function reachability(ask: () => Promise<unknown>): () => Promise<boolean> {
  let asking: Promise<unknown> | null = null
  return () => {
    asking ??= ask().finally(() => {
      asking = null
    })
    return inTime(asking, { msMax: READY_MS_MAX, message: 'no response in time' }).then(
      () => true,
      () => false,
    )
  }
}
