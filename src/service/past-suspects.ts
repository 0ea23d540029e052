import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import type { Window } from '~/domain/period.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import { isDoubtful, midRange } from '~/domain/price/mid-range.ts'
import type { Range, Suspicion } from '~/domain/price/suspect.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { View } from '~/memory/view.ts'
import { type SnapshotDeps, type SnapshotStore, withDayMids } from './snapshot.ts'

export type SuspectsDeps = Pick<SnapshotDeps, 'windows'> & {
  readonly store: SnapshotStore & {
    /** Range of a dollar's values in a window, the one in force at its start included; or null. */
    worthRange(currency: string, window: Window): Promise<Range | null>
  }
}

/** Suspect quotes of the past, by quote id. */
export type Suspects = ReadonlyMap<number, Suspicion>

const NONE: Suspects = new Map()

/** The maximum number of quotes that are looked up without first finding the doubtful ones. */
const FEW = 100

/**
 * The quotes of one corridor that were suspect by the mid of their own time; none without one. Mids
 * are looked up one by one only for quotes that some mid of their time makes doubtful.
 */
export async function suspectsAmong(
  deps: SuspectsDeps,
  view: View,
  { corridor, quotes }: { readonly corridor: Corridor; readonly quotes: readonly Quote[] },
): Promise<Suspects> {
  const { quoteSuspectPct: pct = null } = view.limits
  const evaluated = quotes.filter(({ rateType }) => isExecutable(rateType))
  if (pct === null || evaluated.length === 0) return NONE
  const doubtful =
    evaluated.length > FEW
      ? await doubtfulAmong(deps, view, { corridor, evaluated, pct })
      : evaluated
  return foundSuspects(deps, view, doubtful)
}

/** As `suspectsAmong`, by a mid for each of the quotes. */
export async function foundSuspects(
  deps: SnapshotDeps,
  view: View,
  quotes: readonly Quote[],
): Promise<Suspects> {
  const priced = await withDayMids(deps, view, { quotes, mid: null })
  return new Map(priced.flatMap(({ quote, suspect }) => (suspect ? [[quote.id, suspect]] : [])))
}

type Evaluated = {
  readonly corridor: Corridor
  readonly evaluated: readonly Quote[]
  readonly pct: number
}

/** The quotes that are suspect by some mid of the time that all of them span. */
async function doubtfulAmong(
  deps: SuspectsDeps,
  view: View,
  { corridor, evaluated, pct }: Evaluated,
): Promise<readonly Quote[]> {
  const timesMs = evaluated.map(({ atMs }) => atMs)
  const fromMs = timesMs.reduce((least, ms) => Math.min(least, ms))
  const lastMs = timesMs.reduce((most, ms) => Math.max(most, ms))
  const mids = await midsIn(deps, view, { corridor, fromMs, beforeMs: lastMs + 1 })
  return mids === null ? [] : evaluated.filter(({ rate }) => isDoubtful(rate, mids, pct))
}

/** The range of the pair's mids in a window; null if it had none. */
async function midsIn(
  { store }: SuspectsDeps,
  view: View,
  { corridor: { from, to }, ...window }: Window & { readonly corridor: Corridor },
): Promise<Range | null> {
  const { anchors } = view.catalogue
  const legs = legsOf([from, to], anchors)
  const ranges = await Promise.all(
    legs.map((leg) => (leg === USD ? DOLLAR : store.worthRange(leg, window))),
  )
  const worth = (code: string): Range | null => {
    if (code === USD) return DOLLAR
    const range = ranges[legs.indexOf(anchors.of(code) ?? code)]
    if (!range) return null
    return { least: anchors.worth(code, range.least), most: anchors.worth(code, range.most) }
  }
  const [source, target] = [worth(from), worth(to)]
  return source && target && midRange(source, target)
}

const DOLLAR: Range = { least: 1, most: 1 }
