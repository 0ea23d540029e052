import type { FeedState } from '~/domain/feed/state.ts'
import { type DoubtfulPeg, doubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { ReferenceIndex } from '~/memory/reference-index.ts'

type Priced = { readonly catalogue: CatalogueIndex; readonly references: ReferenceIndex }

/** The pegs of active currencies that the newest words of feeds contradict. */
export const doubtfulPegsOf = ({ catalogue, references }: Priced): DoubtfulPeg[] =>
  catalogue.currencies.flatMap((currency) => {
    const { code } = currency
    const said = references.said(code, Number.POSITIVE_INFINITY)
    const pegged = references.reference(code, Number.POSITIVE_INFINITY)
    return doubtfulPeg(currency, { said, pegged }) ?? []
  })

/** A mid that feeds disagree on, or that moved far by the word of one feed. */
export type DoubtfulMid = {
  readonly currency: string
  /** The percentage by which one feed alone moved it; null if feeds disagree. */
  readonly movePct: number | null
}

type Known = { readonly catalogue: CatalogueIndex; readonly feeds: FeedState }

/** The doubtful mids of active currencies that follow no other one. */
export const doubtfulMidsOf = ({ catalogue, feeds }: Known): DoubtfulMid[] =>
  (feeds.support ?? []).flatMap(({ currency, basis, moved = null }): DoubtfulMid[] => {
    const isPriced = catalogue.currency(currency) && catalogue.anchors.of(currency) === currency
    if (!isPriced) return []
    if (basis === 'disputed') return [{ currency, movePct: null }]
    return basis === 'single' && moved ? [{ currency, movePct: moved.pct }] : []
  })
