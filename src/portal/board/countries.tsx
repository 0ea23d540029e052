import type { Currency } from '~/domain/currency.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { Flag } from '~/portal/place/flag-links.tsx'
import { pairFor } from '~/portal/place/live-pairs.ts'
import { type Pair, pairPath, pairSlug, pairTitle } from '~/portal/place/pair.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { convert } from '~/service/convert.ts'
import { pricedAt } from './offer-text.ts'
import { goalParameter, knownParameters } from './path.ts'
import type { BoardQuestion } from './query.ts'

type Props = {
  readonly view: View
  readonly question: BoardQuestion
  readonly from: Currency
  readonly to: Currency
}

/** The countries that prices name, each with its own best; nothing if there is but one pair. */
export function Countries({ view, question, from, to }: Props) {
  const { words, say } = useWords()
  const pairs = namedPairs(view.offers(from.code, to.code))
  if (pairs.length < 2) return null
  return (
    <nav aria-label={say('countries.label')}>
      <p class="small">{say('countries.lead')}</p>
      <ul class="flag-links">
        {pairs.map((pair) => (
          <li key={pairSlug(pair)}>
            <a href={pairHref(pair, question)}>
              <Flag country={pair.source} /> {pairTitle(words, pair)}
            </a>{' '}
            <span class="small muted">{bestText(words, { view, question, pair, from, to })}</span>
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

type Ends = Props & { readonly pair: Pair }

function bestText(words: Words, { view, question: { goal }, pair, from, to }: Ends): string {
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
  if (!best) return words.say('countries.none')
  const isToArrive = goal.recipientGets !== null
  const about = pricedAt(words, best) === null ? '' : '≈ '
  if (!isToArrive) return about + words.priceText(best.net!, to)
  return words.say('countries.to-send', { amount: about + words.priceText(best.sent!, from) })
}

function pairHref(pair: Pair, { from, to, goal, ...question }: BoardQuestion): string {
  const params = new URLSearchParams([goalParameter(goal), ...knownParameters(question)])
  if (from !== pair.source.currencies[0]) params.set('from', from)
  if (to !== pair.target.currencies[0]) params.set('to', to)
  return `${pairPath(pair)}?${params}`
}
