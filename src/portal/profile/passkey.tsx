import type { ComponentChildren } from 'preact'
import { TOKEN_FIELD } from '~/portal/member/own-form.ts'
import type { FormFields, PageAnswer, PageRequest } from '~/portal/member/page-request.tsx'
import { PATHS } from '~/portal/paths.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Challenge } from '~/service/person/second-factor.ts'

type Props = {
  pageRequest: PageRequest
  action: string
  /** Says whether a passkey is created or used. */
  deed: 'create' | 'get'
  send: string
  hidden?: Readonly<Record<string, string>>
  children?: ComponentChildren
}

/**
 * A form sent with the response of a passkey. It is hidden without a script, which passkeys need.
 */
export const PasskeyForm = ({ pageRequest, hidden = {}, children, ...props }: Props) => (
  <>
    <form method="post" action={props.action} class="stack-tight" data-passkey={props.deed} hidden>
      <input type="hidden" name={TOKEN_FIELD} value={pageRequest.formToken} />
      <input type="hidden" name="credential" value="" />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <div>
        <button type="submit" class="button">
          {props.send}
        </button>
      </div>
      <PasskeyFault />
    </form>
    {props.deed === 'create' && (
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
export const PasskeySignIn = ({
  pageRequest,
  next,
}: {
  pageRequest: PageRequest
  next: string
}) => (
  <PasskeyForm
    pageRequest={pageRequest}
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
