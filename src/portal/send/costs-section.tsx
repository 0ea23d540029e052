/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import type { costsOf } from '~/domain/offer/costs.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { bothText, totalText } from '~/portal/board/cost-text.ts'
import { offerWords } from '~/portal/board/offer-text.ts'
import { askedText, moneyOf, percentText, priceText } from '~/portal/format.ts'
import { PATHS } from '~/portal/paths.ts'
import { providerPath } from '~/portal/providers/path.ts'

type Costs = ReturnType<typeof costsOf<RankedQuote>>

type Props = {
  readonly costs: Costs
  readonly amount: number
  readonly from: Currency
  /** Both countries, in a sentence. */
  readonly between: string
  /** The path of the same as a file. */
  readonly csvHref: string
}

/** What a pair of countries may cost on average by goal 10.c of the United Nations, in percent. */
const GOAL_PCT = 3
const BPS_PER_PERCENT = 100

/** What the pair costs on average and with the cheapest, against the goal of the United Nations. */
export function CostsSection({ costs, amount, from, between, csvHref }: Props) {
  const { averagePct, averageExcludingSuspectPct: believedPct, smart, offers, meets } = costs
  if (averagePct === null || meets === null) return null
  const count = offers.filter(({ cost }) => cost).length
  const bars = [
    { name: averageName(count), pct: averagePct },
    ...(believedPct !== null && isOther(believedPct, averagePct)
      ? [{ name: 'The average without suspect prices', pct: believedPct }]
      : []),
    ...(smart ? [{ name: 'The three cheapest (SmaRT)', pct: smart.pct }] : []),
    { name: 'Goal of the United Nations', pct: GOAL_PCT },
  ]
  const isExact = offers.every(({ cost, match }) => !cost || match.match === 'exact')
  return (
    <section class="stack-tight" aria-labelledby="costs-title">
      <h2 id="costs-title">
        What it costs to send {askedText(amount, from)} {between}
      </h2>
      <p>{verdict(costs, averagePct, meets.sdg3)}</p>
      <Bars
        bars={bars}
        moneyText={isExact ? (pct) => priceText(Math.abs((pct / 100) * amount), from) : null}
      />
      {smart && <Cheapest smart={smart} />}
      <p class="muted small">
        Fee and exchange rate together, against the mid of each price's own day; every offer that
        names both countries counts once. <a href={`${PATHS.method}#costs`}>How we calculate it</a>
        {' · '}
        <a href={csvHref}>Every offer as CSV</a>
      </p>
    </section>
  )
}

type BarsProps = {
  readonly bars: readonly { readonly name: string; readonly pct: number }[]
  /** A percentage of the amount; null where the costs are not those of the amount. */
  readonly moneyText: ((pct: number) => string) | null
}

/** Costs in percent, as bars against the goal. */
function Bars({ bars, moneyText }: BarsProps) {
  const widest = Math.max(...bars.map(({ pct }) => pct))
  return (
    <ul class="cost-bars">
      {bars.map(({ name, pct }) => (
        <li key={name}>
          <span>{name}</span>{' '}
          <span class="cost-bar-value">
            {moneyText ? bothText(pct, moneyText(pct)) : totalText(pct)}
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

/**
 * The offers of the SmaRT, each with its provider's page. Those of one provider are shown with what
 * each of them alone says.
 */
const Cheapest = ({ smart: { offers } }: { smart: NonNullable<Costs['smart']> }) => (
  <p>
    The three cheapest are{' '}
    {offers.map((one, i) => {
      const { provider } = one.candidate
      const words = ownWords(one, offers).join(', ')
      const isSame = (other: Cheap) =>
        isSibling(one, other) && ownWords(other, offers).join(', ') === words
      const isAnother = offers.slice(0, i).some(isSame)
      return (
        <>
          {JOINTS[i]}
          {isAnother && 'another price of '}
          <a href={providerPath(provider.id)}>{provider.name}</a> ({words && `${words}: `}
          {costText(one)})
        </>
      )
    })}
    .
  </p>
)

type Cheap = NonNullable<Costs['smart']>['offers'][number]

const isSibling = (a: Cheap, b: Cheap): boolean =>
  a !== b && a.candidate.provider.id === b.candidate.provider.id

/** What an offer says that not all the others of its provider say, in words. */
function ownWords(one: Cheap, all: readonly Cheap[]): string[] {
  const wordsOf = ({ candidate: { quote } }: Cheap) => offerWords(quote.offer ?? PLAIN, true)
  const others = all.filter((other) => isSibling(one, other))
  if (others.length === 0) return []
  return wordsOf(one).filter((word) => !others.every((other) => wordsOf(other).includes(word)))
}

function costText({ cost, match, candidate: { quote } }: Cheap): string {
  const total = totalText(cost!.totalPct)
  if (match.match === 'exact') return total
  return `${total} for ${askedText(match.atAmount, moneyOf(quote.from))}`
}

const JOINTS = ['', ', ', ' and ']

/** Whether two figures differ as they are shown. */
const isOther = (a: number, b: number): boolean =>
  percentText(a * BPS_PER_PERCENT) !== percentText(b * BPS_PER_PERCENT)

const averageName = (count: number): string =>
  count === 1 ? 'The one offer whose cost is known' : `Average of ${count} offers`

/** The end of a bar, in percent of the room; a cost below nothing has none. */
const share = (pct: number, widest: number): string =>
  `${(Math.max(0, pct / widest) * 100).toFixed(2)}%`

/** What the figures mean, in words. */
function verdict({ smart, offers }: Costs, averagePct: number, isMet: boolean): string {
  if (averagePct < 0) return `On average it is ${totalText(averagePct)}.`
  const average = percentText(averagePct * BPS_PER_PERCENT)
  const goal = 'the 3% that the United Nations aim at'
  if (isMet) return `On average it costs ${average}: no more than ${goal}.`
  const above = `On average it costs ${average}, more than ${goal}.`
  const within = offers.filter(({ cost }) => cost && cost.totalPct <= GOAL_PCT).length
  if (within === 0) return `${above} No offer costs as little as that.`
  const some = within === 1 ? 'One offer costs' : `${within} offers cost`
  const cheap = `${some} no more than that`
  if (smart === null) return `${above} ${cheap}.`
  return `${above} ${cheap}; the three cheapest ${smartText(smart.pct)}.`
}

/** What the three cheapest cost, as the end of a sentence. */
const smartText = (pct: number): string =>
  pct < 0 ? `are ${totalText(pct)}` : `cost ${totalText(pct)}`
