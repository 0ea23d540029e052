import { MINUTE_MS } from '~/domain/duration.ts'
import type { Sending } from '~/domain/feed/silence.ts'
import type { Generation, Memory } from '~/memory/memory.ts'

type Ask = (nowMs: number) => Promise<readonly Sending[]>

/**
 * The longest time for which a response is kept while nothing is published: silence grows by
 * itself.
 */
const KEPT_MS_MAX = MINUTE_MS

type Kept = { readonly atMs: number; readonly answer: ReturnType<Ask> }

/** Asks once for each publication and minute, as the answer takes a probe of every series. */
export function sendingsOnce(memory: Pick<Memory, 'current'>, ask: Ask): Ask {
  const kept = new WeakMap<Generation, Kept>()
  return (nowMs) => {
    const { current } = memory
    const known = kept.get(current)
    if (known && Math.abs(nowMs - known.atMs) < KEPT_MS_MAX) return known.answer
    const answer = ask(nowMs)
    kept.set(current, { atMs: nowMs, answer })
    answer.catch(() => kept.delete(current))
    return answer
  }
}
