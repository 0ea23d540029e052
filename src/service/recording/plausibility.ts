import type { Observation } from '~/domain/observation.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { dayMidsOf, momentsOf, type Probe, probesOf } from '~/domain/price/day-mids.ts'
import { implausibleFault } from '~/domain/price/implausible.ts'
import { type Against, type Suspicion, suspicionOf } from '~/domain/price/suspect.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { type DaySource, learnDays } from '~/memory/day-publication.ts'
import type { Memory } from '~/memory/memory.ts'
import type { View } from '~/memory/view.ts'
import { type IngestDeps, quoteOf } from './ingest.ts'

/** Distance that a rate may have from its mid. */
type Plausibility = {
  readonly quoteSuspectPct?: number | null
  readonly quoteImplausibleTimes?: number | null
}

/** Doubt about a row that is to be recorded; null if there is none. */
export type RowDoubt = {
  /** Reason for refusing the row unless its sender accepts it. */
  readonly fault: string | null
  readonly suspect: Suspicion | null
}

export type SentRow = { readonly observation: Observation; readonly isAccepted: boolean }

function doubtOf(
  quote: Quote,
  against: Against,
  { isAccepted, limits }: { readonly isAccepted: boolean; readonly limits: Plausibility },
): RowDoubt {
  const { quoteSuspectPct = null, quoteImplausibleTimes = null } = limits
  const mid = undisputedRate(against.midAtQuote)
  return {
    fault: isAccepted ? null : implausibleFault(quote, mid, quoteImplausibleTimes),
    suspect: suspicionOf(quote, against, quoteSuspectPct),
  }
}

type Looking = Plausibility & { readonly anchors: Anchors; readonly midMaxAgeMs: number }

/**
 * Returns for each row, in order, why it is too far from the mid of its day to be recorded, by a
 * look-up of mids; null if it is not.
 */
export const implausibleIn =
  (days: DaySource, { anchors, midMaxAgeMs: maxAgeMs, quoteImplausibleTimes }: Looking) =>
  async (rows: readonly Observation[]): Promise<(string | null)[]> => {
    const quotes = rows.map((row) => quoteOf(row, 0))
    const executable = quotes.filter(({ rateType }) => isExecutable(rateType))
    const answers = await days.referencesAt(probesOf(momentsOf(executable, anchors)))
    const found = new Map(answers.map((answer) => [nameOf(answer), answer.reference]))
    const referenceAt = (probe: Probe) => found.get(nameOf(probe)) ?? undefined
    return quotes.map((quote) => {
      const { midAtQuote } = dayMidsOf(quote, { anchors, referenceAt, maxAgeMs })
      return implausibleFault(quote, undisputedRate(midAtQuote), quoteImplausibleTimes ?? null)
    })
  }

const undisputedRate = (mid: Against['mid']): number | null =>
  mid === null || mid.basis === 'disputed' ? null : mid.rate

const nameOf = ({ currency, atMs }: Probe): string => `${currency}@${atMs}`

type Doubting = Pick<IngestDeps, 'store'> & { readonly memory: Memory; viewNow(): View }

/**
 * Doubts about rows, in their order, by the references that memory has or looks up. If a look-up
 * fails the rows are accepted. `viewNow` gives what is served at that time.
 */
export async function doubtsOf(
  { memory, store, viewNow }: Doubting,
  rows: readonly SentRow[],
): Promise<RowDoubt[]> {
  const quotes = rows.map(({ observation }) => quoteOf(observation, 0))
  await learnDays({ memory, days: store }, { quotes }).catch(() => {})
  const view = viewNow()
  return quotes.map((quote, i) => {
    const { midAtQuote } = view.dayMidsOf(quote)
    const against = { midAtQuote, mid: view.mid(quote.from, quote.to) ?? null }
    return doubtOf(quote, against, { isAccepted: rows[i]!.isAccepted, limits: view.limits })
  })
}
