/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { PAY_WAYS, type PayWay } from '~/domain/offer/terms.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { type AskedFilters, type Parameter, SPEEDS, WAYS } from './filters.ts'

type Props = {
  readonly action: string
  readonly asked: AskedFilters
  /** Every offer for the pair, asked for or not. */
  readonly offers: readonly RankedQuote[]
  /** What else the question holds. */
  readonly hidden: readonly Parameter[]
}

/**
 * What to ask of offers, as a form that works without scripts; only what some offer says can be
 * asked. Nothing where no offer says anything.
 */
export function FiltersForm({ action, asked, offers, hidden }: Props) {
  const payIn = waysIn(offers, 'payIn', asked.payIn)
  const payOut = waysIn(offers, 'payOut', asked.payOut)
  const isTimed = offers.some(({ quote }) => (quote.offer?.deliveryMaxMs ?? null) !== null)
  const isSlow = isTimed || asked.deliveryMaxMs !== null
  if (payIn.length + payOut.length === 0 && !isSlow) return null
  const count = (asked.payIn?.length ?? 0) + (asked.payOut?.length ?? 0)
  const chosen = count + Number(asked.deliveryMaxMs !== null)
  return (
    <details class="filters" open={chosen > 0}>
      <summary>Pay with, get as, arrives within{chosen > 0 && ` (${chosen} chosen)`}</summary>
      <form class="details-body" action={action} method="get">
        {hidden.map(([name, value]) => (
          <input key={name + value} type="hidden" name={name} value={value} />
        ))}
        <div class="choices">
          <Ways name="pay_in" title="Pay with" ways={payIn} asked={asked.payIn} />
          <Ways name="pay_out" title="Get as" ways={payOut} asked={asked.payOut} />
          {isSlow && <Speeds asked={asked.deliveryMaxMs} />}
        </div>
        <div class="actions">
          <button type="submit" class="button button-quiet">
            Show these
          </button>
          {chosen > 0 && <a href={`${action}?${new URLSearchParams(hidden as Pairs)}`}>Show all</a>}
        </div>
      </form>
    </details>
  )
}

type Pairs = [string, string][]

function waysIn(
  offers: readonly RankedQuote[],
  name: 'payIn' | 'payOut',
  asked: readonly PayWay[] | null,
): PayWay[] {
  const said = new Set([
    ...offers.flatMap(({ quote }) => quote.offer?.[name] ?? []),
    ...(asked ?? []),
  ])
  return PAY_WAYS.filter((way) => said.has(way))
}

type ChoicesProps = { readonly title: string; readonly children: ComponentChildren }

const Choices = ({ title, children }: ChoicesProps) => (
  <fieldset>
    <legend>{title}</legend>
    {children}
  </fieldset>
)

type WaysProps = {
  readonly name: string
  readonly title: string
  readonly ways: readonly PayWay[]
  readonly asked: readonly PayWay[] | null
}

function Ways({ name, title, ways, asked }: WaysProps) {
  if (ways.length === 0) return null
  return (
    <Choices title={title}>
      {ways.map((way) => (
        <label key={way}>
          <input type="checkbox" name={name} value={way} checked={asked?.includes(way)} />
          {WAYS[way]}
        </label>
      ))}
    </Choices>
  )
}

const Speeds = ({ asked }: { asked: number | null }) => (
  <Choices title="Arrives within">
    {[{ value: '', ms: null, text: 'any time' }, ...SPEEDS].map(({ value, ms, text }) => (
      <label key={value}>
        <input type="radio" name="delivery_max" value={value} checked={ms === asked} /> {text}
      </label>
    ))}
  </Choices>
)
