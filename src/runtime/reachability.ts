import { inTime } from '~/service/deadline.ts'

const READY_MS_MAX = 1000

/**
 * Tells whether a part answers within a second. While it has not answered it is not asked again,
 * however many callers want to know, so that a part that hangs gets no more work.
 */
export function reachability(ask: () => Promise<unknown>): () => Promise<boolean> {
  let asking: Promise<unknown> | null = null
  return () => {
    asking ??= ask().finally(() => {
      asking = null
    })
    return inTime(asking, { msMax: READY_MS_MAX, message: 'no answer in time' }).then(
      () => true,
      () => false,
    )
  }
}
