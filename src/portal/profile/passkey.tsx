import type { ComponentProps } from 'preact'
import type { FormFields, PageAnswer } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { PATHS } from '~/portal/paths.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Challenge } from '~/service/person/second-factor.ts'

type Props = Pick<ComponentProps<typeof TokenForm>, 'action' | 'send' | 'hidden' | 'children'> & {
  /** Says whether a passkey is created or used. */
  deed: 'create' | 'get'
}

/**
 * A form sent with the response of a passkey. It is hidden without a script, which passkeys need.
 */
export const PasskeyForm = ({ deed, hidden, ...form }: Props) => (
  <>
    <TokenForm
      {...form}
      passkey={deed}
      hidden={{ credential: '', ...hidden }}
      after={<PasskeyFault />}
    />
    {deed === 'create' && (
      <p class="muted small" data-no-passkeys>
        {useWords().say('passkey.needs')}
      </p>
    )}
  </>
)

/** Element for the script's errors, with the words for them. */
function PasskeyFault() {
  const { say } = useWords()
  return (
    <p
      class="field-error"
      role="status"
      data-passkey-fault
      data-at-address={say('passkey.at-address')}
      data-too-many={say('passkey.too-many')}
      data-cancelled={say('passkey.cancelled')}
    />
  )
}

/** The button that signs in by a passkey, for browsers that have them. */
export const PasskeySignIn = ({ next }: { next: string }) => (
  <PasskeyForm
    action={PATHS.passkeySignIn}
    deed="get"
    send={useWords().say('passkey.sign-in')}
    hidden={next ? { next } : {}}
  />
)

/** A challenge for our script. */
export const optionsReply = ({ options, cookies }: Challenge): PageAnswer => ({
  cookies,
  response: Response.json(options, { headers: { 'cache-control': 'no-store' } }),
})

/** Credential that the browser returned; null for a string that cannot be one. */
export function credentialIn(form: FormFields): object | null {
  try {
    const credential: unknown = JSON.parse(form.text('credential'))
    return typeof credential === 'object' && credential && 'id' in credential ? credential : null
  } catch {
    return null
  }
}
