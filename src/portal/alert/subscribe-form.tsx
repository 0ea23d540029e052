import { EMAIL_LENGTH_MAX } from '~/domain/account.ts'
import { Field, Select } from '~/portal/form.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Pair } from '~/portal/place/pair.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'

const SUBJECTS = ['above', 'monthly'] as const

const TEXTS = ['what', 'value', 'email'] as const

export type SubscribeTexts = Readonly<Record<(typeof TEXTS)[number], string>>

type Props = {
  readonly pair: Pair
  readonly corridor: { readonly from: string; readonly to: string }
  readonly amount: number
  readonly texts: SubscribeTexts
  readonly faults?: Readonly<Partial<SubscribeTexts>>
}

/** A little more than the best that arrives now, in few digits: worth an email. */
export const proposedValue = (net: number | null): string =>
  net === null ? '' : plainNumberText(Number((net * 1.01).toPrecision(3)))

/** Emails about a pair for an address alone: no account, no password. */
export function SubscribeForm({ pair, corridor, amount, texts, faults = {} }: Props) {
  const { say, rich } = useWords()
  const hidden = { ...corridor, amount: plainNumberText(amount) }
  const places = { source: pair.source.code, target: pair.target.code }
  return (
    <form method="post" action={PATHS.tellMe} class="tell-me">
      {Object.entries({ ...places, ...hidden }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div class="form-row">
        <Select
          name="what"
          label={say('tell.what')}
          value={texts.what}
          options={SUBJECTS.map((value) => ({ value, text: say(`tell.${value}`) }))}
        />
        <div class="for-value">
          <Field
            name="value"
            label={say('tell.value', { currency: corridor.to })}
            value={texts.value}
            error={faults.value}
            input={{ inputMode: 'decimal', autocomplete: 'off', maxLength: 60 }}
          />
        </div>
        <Field
          name="email"
          type="email"
          label={say('field.email')}
          value={texts.email}
          error={faults.email}
          isRequired
          input={{ autocomplete: 'email', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
        />
        <button type="submit" class="button">
          {say('tell.send')}
        </button>
      </div>
      <p class="muted small">{rich('tell.note', { link: linkTo(PATHS.privacy) })}</p>
    </form>
  )
}
