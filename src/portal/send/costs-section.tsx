import { useContext } from 'preact/hooks'
import type { Currency } from '~/domain/currency.ts'
import type { costsOf } from '~/domain/offer/costs.ts'
import { marginPct } from '~/domain/price/cost.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { bothText, totalText } from '~/portal/board/cost-text.ts'
import { isSibling, ownWords } from '~/portal/board/offer-text.ts'
import { IsOfThen } from '~/portal/cite/known-page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Pair } from '~/portal/place/pair.ts'
import { providerPath } from '~/portal/providers/path.ts'
import { Sparkline } from '~/portal/sparkline.tsx'
import { moneyOf } from '~/portal/words/format.ts'
import { linkTo, Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { HeldPoint } from '~/service/held-series.ts'
import { pairValues } from './known.ts'

type Costs = ReturnType<typeof costsOf<RankedQuote>>

type Props = {
  readonly costs: Costs
  readonly amount: number
  readonly from: Currency
  readonly pair: Pair
  /** The path of the same as a file; a page of an earlier time has none. */
  readonly csvHref: string
}

/**
 * Average cost that a pair of countries may have by goal 10.c of the United Nations, in percent.
 */
const GOAL_PCT = 3

/** Cost of the pair on average and with the cheapest, against the goal of the United Nations. */
export function CostsSection({ costs, amount, from, pair, csvHref }: Props) {
  const { words, say, rich, askedText, priceText } = useWords()
  const isOfThen = useContext(IsOfThen)
  const { averagePct, averageExcludingSuspectPct: believedPct, smart, offers, meets } = costs
  if (averagePct === null || meets === null) return null
  const count = offers.filter(({ cost }) => cost).length
  const bars = [
    { name: say('costs.average-of', { count }), pct: averagePct },
    ...(believedPct !== null && isOther(words, believedPct, averagePct)
      ? [{ name: say('costs.without-suspect'), pct: believedPct }]
      : []),
    ...(smart ? [{ name: say('costs.smart'), pct: smart.pct }] : []),
    { name: say('costs.goal'), pct: GOAL_PCT },
  ]
  const isExact = offers.every(({ cost, match }) => !cost || match.match === 'exact')
  return (
    <section class="stack-tight" aria-labelledby="costs-title">
      <h2 id="costs-title">
        {say('costs.title', { amount: askedText(amount, from), ...pairValues(words, pair) })}
      </h2>
      <p>{verdict(words, costs, { averagePct, isMet: meets.sdg3 })}</p>
      <Bars
        bars={bars}
        moneyText={isExact ? (pct) => priceText(Math.abs((pct / 100) * amount), from) : null}
      />
      {smart && <Cheapest smart={smart} />}
      <p class="muted small">
        {rich('costs.how', { link: linkTo(`${PATHS.method}#costs`) })}
        {!isOfThen && (
          <>
            {' · '}
            <a href={csvHref}>{say('costs.csv')}</a>
          </>
        )}
      </p>
    </section>
  )
}

type BarsProps = {
  readonly bars: readonly { readonly name: string; readonly pct: number }[]
  /** A percentage of the amount; null if the costs are not those of the amount. */
  readonly moneyText: ((pct: number) => string) | null
}

/** Costs in percent, as bars against the goal. */
function Bars({ bars, moneyText }: BarsProps) {
  const words = useWords()
  const widest = Math.max(...bars.map(({ pct }) => pct))
  return (
    <ul class="cost-bars">
      {bars.map(({ name, pct }) => (
        <li key={name}>
          <span>{name}</span>{' '}
          <span class="cost-bar-value">
            {moneyText ? bothText(words, pct, moneyText(pct)) : totalText(words, pct)}
          </span>
          <svg class="cost-bar" width="100%" height="10" aria-hidden="true">
            <rect class="cost-bar-all" width="100%" height="10" rx="3" />
            <rect
              class={pct <= GOAL_PCT ? 'cost-bar-good' : 'cost-bar-over'}
              width={share(pct, widest)}
              height="10"
              rx="3"
            />
            <line x1={share(GOAL_PCT, widest)} x2={share(GOAL_PCT, widest)} y1="0" y2="10" />
          </svg>
        </li>
      ))}
    </ul>
  )
}

/** The offers of the SmaRT with their providers' pages, and the conditions in which they differ. */
function Cheapest({ smart: { offers } }: { smart: NonNullable<Costs['smart']> }) {
  const words = useWords()
  const all = offers.map(({ candidate }) => candidate)
  const ownText = ({ candidate }: Cheap) =>
    ownWords(words, candidate, all).join(words.say('list.comma'))
  const cheap = offers.map((one, i) => {
    const own = ownText(one)
    const isSame = (other: Cheap) =>
      isSibling(one.candidate, other.candidate) && ownText(other) === own
    return <CheapOffer key={i} one={one} own={own} isAnother={offers.slice(0, i).some(isSame)} />
  })
  const [first, second, third] = cheap
  return <p>{words.rich('costs.cheapest', { count: cheap.length, first, second, third })}</p>
}

type CheapProps = { readonly one: Cheap; readonly own: string; readonly isAnother: boolean }

/** The provider of a cheap offer, its distinguishing conditions, and its cost. */
function CheapOffer({ one, own, isAnother }: CheapProps) {
  const words = useWords()
  const { provider } = one.candidate
  const link = (
    <a href={providerPath(provider.id)}>
      <Name>{provider.name}</Name>
    </a>
  )
  return (
    <>
      {isAnother ? words.rich('costs.another', { provider: link }) : link} (
      {own && words.say('list.colon', { before: own })}
      {costText(words, one)})
    </>
  )
}

type Cheap = NonNullable<Costs['smart']>['offers'][number]

function costText(words: Words, { cost, match, candidate: { quote } }: Cheap): string {
  const total = totalText(words, cost!.totalPct)
  if (match.match === 'exact') return total
  const amount = words.askedText(match.atAmount, moneyOf(quote.from))
  return words.say('costs.for', { total, amount })
}

/** Reports whether two numbers differ as they are shown. */
const isOther = ({ percentText }: Words, a: number, b: number): boolean =>
  percentText(a) !== percentText(b)

/** The end of a bar, in percent of the room; a cost below nothing has none. */
const share = (pct: number, widest: number): string =>
  `${(Math.max(0, pct / widest) * 100).toFixed(2)}%`

type Verdict = { readonly averagePct: number; readonly isMet: boolean }

function verdict(words: Words, { smart, offers }: Costs, { averagePct, isMet }: Verdict): string {
  const { say } = words
  const average = totalText(words, averagePct)
  if (averagePct < 0) return say('costs.verdict-below', { average })
  if (isMet) return say('costs.verdict-met', { average })
  const above = say('costs.verdict-above', { average })
  const within = offers.filter(({ cost }) => cost && cost.totalPct <= GOAL_PCT).length
  if (within === 0) return `${above} ${say('costs.verdict-none')}`
  if (smart === null) return `${above} ${say('costs.verdict-some', { count: within })}`
  const cheapest = totalText(words, smart.pct)
  const key = smart.pct < 0 ? 'costs.verdict-smart-below' : 'costs.verdict-smart'
  return `${above} ${say(key, { count: within, cheapest })}`
}

/** Days below which there is no line to draw. */
const KNOWN_MIN = 2
const PLOT = { width: 1000, height: 80 }

/** The daily cost of the best exchange rate, as a line; nothing if too few days are known. */
export function CostHistory({ points }: { readonly points: readonly HeldPoint[] }) {
  const { say, percentText } = useWords()
  const costs = points.map(({ mid, standing }) =>
    mid === null || standing === null ? null : marginPct(standing, mid),
  )
  const known = costs.filter((cost) => cost !== null)
  if (known.length < KNOWN_MIN) return null
  const label = say('send.moved', {
    low: percentText(Math.min(...known)),
    high: percentText(Math.max(...known)),
    ...{ known: known.length, all: costs.length },
  })
  return (
    <section class="stack-tight cost-history" aria-labelledby="moved-title">
      <h2 id="moved-title">{say('send.moved-title')}</h2>
      <Sparkline mid={[]} best={costs} label={label} {...PLOT} />
      <p class="muted small">{label}</p>
    </section>
  )
}
