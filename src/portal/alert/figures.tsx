/** @jsxImportSource preact */
import type { AlertField } from '~/domain/alert/alert.ts'
import type { View } from '~/memory/view.ts'
import { askedText, clockText, moneyOf } from '~/portal/format.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { watchedValue } from '~/service/alert/value.ts'
import type { AlertFields } from './fields.ts'
import { measuredText } from './words.ts'

type Props = { readonly view: View; readonly fields: AlertFields }

/** How what can be watched stands now, so that nobody has to guess a value. */
export function Figures({ view, fields: { texts, places } }: Props) {
  if (!places.from || !places.to || places.from.currency === places.to.currency) return null
  const corridor = { from: places.from.currency, to: places.to.currency }
  const { amount } = writtenAmount(texts.amount, corridor.from)
  const sent = amount === null ? '' : askedText(amount, moneyOf(corridor.from))
  const labels: [AlertField, string][] = [
    ['best', 'best rate'],
    ['mid', 'mid-market rate'],
    ...(amount === null
      ? []
      : ([
          ['best_current_net', `arrives for ${sent}`],
          ['total_pct', `total cost of ${sent}`],
        ] satisfies [AlertField, string][])),
  ]
  const { cutoffMs, nowMs } = view.freshness
  return (
    <section class="figures" aria-label="How it stands">
      <h2 class="figure-label">
        {corridor.from} to {corridor.to} as of {clockText(Math.min(cutoffMs, nowMs))}
      </h2>
      <dl>
        {labels.map(([field, label]) => (
          <div key={field}>
            <dt>{label}</dt>
            <dd>{figure(field)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )

  function figure(field: AlertField): string {
    const when = { field, op: null, value: null, periodMs: null }
    const value = watchedValue(view, { corridor, amount, when })
    return typeof value === 'number' ? measuredText(field, value, corridor) : 'not known'
  }
}
