import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import type { FeedAnswered, UnusedReason } from '~/domain/feed/unused.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Mid } from '~/domain/mid.ts'
import type { View } from '~/memory/view.ts'
import { type OfficialRate, officialOf } from './official.ts'
import { endOfDay, midBefore, type SnapshotDeps } from './snapshot.ts'
import { supportedCurrency } from './supported.ts'

/** The row behind a mid. */
type ReferenceRow = { readonly id: number; readonly recordedMs: number }

export type FeedAnswerStore = {
  /** The last response of each feed fetched from `sinceMs` to before `beforeMs`, by feed. */
  feedAnswers(asked: {
    readonly currency: string
    readonly sinceMs: number
    readonly beforeMs: number
  }): Promise<readonly FeedAnswered[]>
  /** The newest reference of a currency that was fetched at a time; null without one. */
  referenceRowAt(asked: {
    readonly currency: string
    readonly atMs: number
  }): Promise<ReferenceRow | null>
}

/** Value of one feed for a currency, and the reason why it is no part of the mid. */
type FeedValue = Omit<FeedAnswered, 'unused' | 'perUsd'> & {
  readonly perUsd: number
  readonly unused: UnusedReason | 'no_answer' | 'pegged' | null
}

export type References = {
  readonly currency: string
  readonly date: string
  /** Units of the currency per dollar at the end of the date; null without a recent mid. */
  readonly mid: Mid | null
  /** The reference that the mid is, or that of the currency it follows; or null. */
  readonly row: ReferenceRow | null
  readonly feeds: readonly FeedValue[]
  readonly official: readonly OfficialRate[]
}

type ReferencesDeps = SnapshotDeps & { readonly store: FeedAnswerStore }

/** The longest time for which a feed that no longer responds is listed. */
const SILENT_MS_MAX = 7 * DAY_MS

/**
 * Values of each feed for a currency by the end of a UTC date, and the banks' official rates for
 * that date.
 *
 * Throws `unsupported_currency`, and `invalid_parameter` for the dollar and for a future date.
 */
export async function referencesOf(
  deps: ReferencesDeps,
  view: View,
  asked: { readonly currency: string; readonly date: string | null },
): Promise<References> {
  const currency = supportedCurrency(view.catalogue, { name: 'currency', text: asked.currency })
  if (currency === USD)
    throw invalidParameter({
      name: 'currency',
      fault: 'all references are per US dollar; take another currency',
    })
  const date = asked.date ?? new Date(view.freshness.nowMs).toISOString().slice(0, 10)
  const { beforeMs, thenMs } = endOfDay(view, dateMsOf(date)!)
  const sinceMs = beforeMs - SILENT_MS_MAX
  const [answers, mid, { rates: official }] = await Promise.all([
    deps.store.feedAnswers({ currency, sinceMs, beforeMs }),
    midBefore(deps, view, { corridor: { from: USD, to: currency }, beforeMs, thenMs }),
    officialOf(deps, view, { currency, to: null, providers: null, date }),
  ])
  const lastRunMs = answers.reduce((last, { ranMs }) => Math.max(last, ranMs), 0)
  const anchor = view.catalogue.anchors.of(currency) ?? currency
  const isPegged = anchor !== currency
  const feeds = answers.flatMap(({ perUsd, unused, ...answer }): FeedValue[] => {
    if (perUsd === null) return []
    if (isPegged) return [{ ...answer, perUsd, unused: 'pegged' }]
    return [{ ...answer, perUsd, unused: answer.ranMs < lastRunMs ? 'no_answer' : unused }]
  })
  const row = mid && (await deps.store.referenceRowAt({ currency: anchor, atMs: mid.atMs }))
  return { currency, date, mid, row, feeds, official }
}
