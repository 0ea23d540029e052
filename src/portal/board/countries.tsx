/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { priceText } from '~/portal/format.ts'
import { pairFor } from '~/portal/place/live-pairs.ts'
import { flagPath } from '~/portal/place/names.ts'
import { type Pair, pairPath, pairSlug } from '~/portal/place/pair.ts'
import { convert } from '~/service/convert.ts'
import { goalParameter } from './path.ts'
import type { BoardQuestion } from './query.ts'

type Props = {
  readonly view: View
  readonly question: BoardQuestion
  readonly from: Currency
  readonly to: Currency
}

/** The countries that prices name, each with its own best; nothing where there is but one pair. */
export function Countries({ view, question, from, to }: Props) {
  const pairs = namedPairs(view.offers(from.code, to.code))
  if (pairs.length < 2) return null
  return (
    <nav aria-label="Prices by country">
      <p class="small">These prices are for certain countries. The best of each:</p>
      <ul class="flag-links">
        {pairs.map((pair) => (
          <li key={pairSlug(pair)}>
            <a href={pairHref(pair, question)}>
              <img
                class="flag"
                src={flagPath(pair.source)}
                alt=""
                width="20"
                height="15"
                loading="lazy"
              />{' '}
              {pair.source.name} to {pair.target.name}
            </a>{' '}
            <span class="small muted">{bestText(view, question, { pair, from, to })}</span>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The pairs of countries that prices name with which money can be sent, by their names. */
function namedPairs(offers: readonly RankedQuote[]): Pair[] {
  const found = new Map<string, Pair>()
  for (const ranked of offers) {
    const { offer, rateType } = ranked.quote
    if (!isExecutable(rateType) || !(offer?.sourceCountry || offer?.targetCountry)) continue
    const pair = pairFor(ranked)
    if (pair) found.set(pairSlug(pair), pair)
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair)
}

type Ends = Pick<Props, 'from' | 'to'> & { readonly pair: Pair }

function bestText(view: View, { goal }: BoardQuestion, { pair, from, to }: Ends): string {
  const filters = {
    ...NO_FILTERS,
    sourceCountry: pair.source.code,
    targetCountry: pair.target.code,
  }
  const corridor = { from: from.code, to: to.code }
  const { bestCurrent: best } = convert(view, {
    ...corridor,
    goal,
    selection: { ...UNSELECTED, filters },
  })
  if (!best) return 'no current price for this amount'
  const isToArrive = goal.recipientGets !== null
  return isToArrive ? `${priceText(best.sent!, from)} to send` : priceText(best.net!, to)
}

function pairHref(pair: Pair, { from, to, goal }: BoardQuestion): string {
  const params = new URLSearchParams([goalParameter(goal)])
  if (from !== pair.source.currencies[0]) params.set('from', from)
  if (to !== pair.target.currencies[0]) params.set('to', to)
  return `${pairPath(pair)}?${params}`
}
