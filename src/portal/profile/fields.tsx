import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { Field } from '~/portal/form.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import { CODE_LENGTH_MAX } from '~/service/person/second-factor.ts'

type Props = { name?: string; label?: string; error?: string | undefined }

export const KnownPassword = ({ name = 'password', label, error }: Props) => (
  <Field
    name={name}
    label={label ?? useWords().say('field.password')}
    type="password"
    error={error}
    isRequired
    input={{ autocomplete: 'current-password', maxLength: PASSWORD_LENGTH_MAX }}
  />
)

export const NewPassword = ({ name = 'password', label, error }: Props) => (
  <Field
    name={name}
    label={label ?? useWords().say('field.password')}
    type="password"
    error={error}
    hint={useWords().say('field.password-hint', {
      least: PASSWORD_LENGTH_MIN,
      most: PASSWORD_LENGTH_MAX,
    })}
    isRequired
    input={{
      autocomplete: 'new-password',
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
    }}
  />
)

export const CodeField = ({ error, hint }: { error?: string | undefined; hint?: string }) => (
  <Field
    name="code"
    label={useWords().say('field.code')}
    error={error}
    hint={hint}
    isRequired
    input={{ autocomplete: 'one-time-code', maxLength: CODE_LENGTH_MAX, spellcheck: false }}
  />
)
