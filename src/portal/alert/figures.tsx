/** @jsxImportSource preact */
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import type { View } from '~/memory/view.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import { writtenAmount } from '~/portal/written-amount.ts'
import { watchedValue } from '~/service/alert/value.ts'
import type { AlertFields } from './fields.ts'
import { corridorText, measuredText, subjectText } from './words.ts'

type Props = { readonly view: View; readonly fields: AlertFields }

/** Current values of all fields, so that nobody has to guess one. */
export function Figures({ view, fields: { texts, places } }: Props) {
  const words = useWords()
  const { say, clockText } = words
  if (!places.from || !places.to || places.from.currency === places.to.currency) return null
  const corridor = { from: places.from.currency, to: places.to.currency }
  const { amount } = writtenAmount(words, texts.amount, corridor.from)
  const sourceCountry = places.from.country?.code ?? null
  const targetCountry = places.to.country?.code ?? null
  const asked = { corridor, sourceCountry, targetCountry, amount }
  const shown = ALERT_FIELDS.map((field) => ({ field, ...fieldOf(field) })).filter(
    ({ unit, isForAmount }) => unit !== null && (amount !== null || !isForAmount),
  )
  const { cutoffMs, nowMs } = view.freshness
  return (
    <section class="figures" aria-label={say('alert.how-it-stands')}>
      <h2 class="figure-label">
        {say('alert.as-of', {
          corridor: corridorText(words, asked),
          time: clockText(Math.min(cutoffMs, nowMs)),
        })}
      </h2>
      <dl>
        {shown.map(({ field }) => (
          <div key={field}>
            <dt>{subjectText(words, { ...asked, field })}</dt>
            <dd>{figure(field)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )

  function figure(field: AlertField): string {
    const when = { field, op: null, value: null, periodMs: null }
    const value = watchedValue(view, { ...asked, when })
    if (typeof value === 'number') return measuredText(words, field, value, corridor)
    const isDisputed = view.mid(corridor.from, corridor.to)?.basis === 'disputed'
    return say(field === 'mid' && isDisputed ? 'alert.disputed' : 'alert.not-known')
  }
}
