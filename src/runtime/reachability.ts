import { inTime } from '~/service/deadline.ts'

const READY_MS_MAX = 1000

/**
 * Tells whether what is asked answers within a second. It is not asked again while it has not
 * answered, however many want to know: what hangs must not be given more to do.
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
