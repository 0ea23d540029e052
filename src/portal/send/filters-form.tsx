import type { ComponentChildren } from 'preact'
import { deliveryText } from '~/domain/offer/duration.ts'
import { PAY_WAYS, type PayWay } from '~/domain/offer/terms.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { type AskedFilters, type Parameter, SPEEDS } from './filters.ts'

type Props = {
  readonly action: string
  readonly asked: AskedFilters
  /** Every offer for the pair, requested or not. */
  readonly offers: readonly RankedQuote[]
  readonly hidden: readonly Parameter[]
}

/** Filters of offers as a form without scripts, by conditions that some offer states. */
export function FiltersForm({ action, asked, offers, hidden }: Props) {
  const { say } = useWords()
  const payIn = waysIn(offers, 'payIn', asked.payIn)
  const payOut = waysIn(offers, 'payOut', asked.payOut)
  const isTimed = offers.some(({ quote }) => (quote.offer?.deliveryMaxMs ?? null) !== null)
  const isSlow = isTimed || asked.deliveryMaxMs !== null
  if (payIn.length + payOut.length === 0 && !isSlow) return null
  const count = (asked.payIn?.length ?? 0) + (asked.payOut?.length ?? 0)
  const chosen = count + Number(asked.deliveryMaxMs !== null)
  return (
    <details class="filters" open={chosen > 0}>
      <summary>{say('filters.title', { chosen })}</summary>
      <form class="details-body" action={action} method="get">
        {hidden.map(([name, value]) => (
          <input key={name + value} type="hidden" name={name} value={value} />
        ))}
        <div class="choices">
          <Ways name="pay_in" title={say('filters.pay-with')} ways={payIn} asked={asked.payIn} />
          <Ways name="pay_out" title={say('filters.get-as')} ways={payOut} asked={asked.payOut} />
          {isSlow && <Speeds asked={asked.deliveryMaxMs} />}
        </div>
        <div class="actions">
          <button type="submit" class="button button-quiet">
            {say('filters.show')}
          </button>
          {chosen > 0 && (
            <a href={`${action}?${new URLSearchParams(hidden as Pairs)}`}>{say('filters.all')}</a>
          )}
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
  const { say } = useWords()
  if (ways.length === 0) return null
  return (
    <Choices title={title}>
      {ways.map((way) => (
        <label key={way}>
          <input type="checkbox" name={name} value={way} checked={asked?.includes(way)} />
          {say(`pay.${way}`)}
        </label>
      ))}
    </Choices>
  )
}

function Speeds({ asked }: { asked: number | null }) {
  const { say, spanText } = useWords()
  const isOther = asked !== null && !SPEEDS.some(({ ms }) => ms === asked)
  return (
    <Choices title={say('filters.within')}>
      <Speed value="" isChosen={asked === null} text={say('filters.any-time')} />
      {isOther && <Speed value={deliveryText(asked)} isChosen text={spanText(asked)} />}
      {SPEEDS.map(({ value, ms }) => (
        <Speed key={value} value={value} isChosen={ms === asked} text={say(`speed.${value}`)} />
      ))}
    </Choices>
  )
}

type SpeedProps = { readonly value: string; readonly isChosen: boolean; readonly text: string }

const Speed = ({ value, isChosen, text }: SpeedProps) => (
  <label>
    <input type="radio" name="delivery_max" value={value} checked={isChosen} /> {text}
  </label>
)
