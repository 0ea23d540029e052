import type { Window } from '~/domain/period.ts'
import type { Worth } from '~/domain/series.ts'
import { DOLLAR } from './anchors.ts'
import { type Day, midAt, type Probe } from './day-mids.ts'

/** A stretch of time in which a pair's mid did not change; null without a recent undisputed one. */
type MidStretch = Window & { readonly mid: number | null }

type Known = Omit<Day, 'referenceAt'> & {
  /** Value of a dollar for each leg, oldest first, from that in force at the window's start on. */
  readonly worths: ReadonlyMap<string, readonly Worth[]>
}

/** Divides a window whenever a pair's mid changed, came or became too old; oldest first. */
export function midStretches(
  { fromMs, beforeMs }: Window,
  pair: readonly [string, string],
  { worths, ...day }: Known,
): MidStretch[] {
  const turnsMs = [...worths.values()].flatMap((said) =>
    said.flatMap(({ atMs }) => [atMs, atMs + day.maxAgeMs + 1]),
  )
  const insideMs = turnsMs.filter((ms) => ms > fromMs && ms < beforeMs)
  const startsMs = [...new Set([fromMs, ...insideMs])].sort((a, b) => a - b)
  const legs = [...worths.keys()]
  const referenceAt = ({ currency, atMs }: Probe) => {
    const said = worths.get(currency)?.findLast((worth) => worth.atMs <= atMs)
    return said && { ...DOLLAR, id: legs.indexOf(currency) + 1, currency, ...said }
  }
  const stretches: MidStretch[] = []
  for (const [i, startMs] of startsMs.entries()) {
    const known = midAt(startMs, pair, { ...day, referenceAt })
    const mid = known && known.basis !== 'disputed' ? known.rate : null
    const endMs = startsMs[i + 1] ?? beforeMs
    const last = stretches.at(-1)
    if (last?.mid === mid) stretches[stretches.length - 1] = { ...last, beforeMs: endMs }
    else stretches.push({ fromMs: startMs, beforeMs: endMs, mid })
  }
  return stretches
}
