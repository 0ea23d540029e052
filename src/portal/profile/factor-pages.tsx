import { encode } from 'uqr'
import type { Factors, OwnPasskey } from '~/domain/person/profile.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Field } from '~/portal/form.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { PASSKEY_NAME_LENGTH_MAX, PASSKEYS_MAX } from '~/service/person/second-factor.ts'
import { CodeField, KnownPassword } from './fields.tsx'
import { PasskeyForm } from './passkey.tsx'

type Shown = {
  readonly factors: Factors
  readonly codesLeft: number
  readonly isRequired: boolean
  readonly notice?: string | undefined
  readonly faults?: Faults
  readonly passkeyName?: string | undefined
}

/** Error of the password in one of the forms. */
type Faults = { readonly app?: string; readonly codes?: string; readonly passkey?: string }

export const secondFactorPage = ({ say }: Words, shown: Shown): Page => ({
  title: say('second-factor.title'),
  path: PATHS.secondFactor,
  scripts: ['passkey'],
  status: shown.faults ? 400 : 200,
  body: (
    <div class="stack narrow">
      <div class="stack-tight">
        <h1>{say('second-factor.title')}</h1>
        {shown.isRequired && (
          <Notice kind="warn" title={say('second-factor.required')}>
            {say('second-factor.required-why')}
          </Notice>
        )}
        {shown.notice && <Notice kind="good">{shown.notice}</Notice>}
        <p class="lead">{say('second-factor.lead')}</p>
      </div>
      <Passkeys {...shown} />
      <App {...shown} />
      {!shown.isRequired && (
        <p>
          <a href={PATHS.profile}>{say('second-factor.back')}</a>
        </p>
      )}
    </div>
  ),
})

function Passkeys({ factors: { passkeys }, faults, passkeyName }: Shown) {
  const { words, say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{say('second-factor.passkeys')}</h2>
      <p>{say('second-factor.passkeys-lead')}</p>
      {passkeys.length > 0 && (
        <RowTable
          label={say('second-factor.passkeys')}
          rows={passkeys}
          keyOf={({ id }) => id}
          columns={passkeyColumns(words)}
        />
      )}
      {faults?.passkey && <Notice kind="bad">{faults.passkey}</Notice>}
      {passkeys.length < PASSKEYS_MAX && (
        <PasskeyForm action={PATHS.passkey} deed="create" send={say('second-factor.add-passkey')}>
          <Field
            name="passkey"
            label={say('second-factor.passkey-name')}
            value={passkeyName}
            isRequired
            input={{ autocomplete: 'off', maxLength: PASSKEY_NAME_LENGTH_MAX }}
          />
          <KnownPassword name="passkey-password" label={say('field.your-password')} />
        </PasskeyForm>
      )}
    </section>
  )
}

const passkeyColumns = ({ say, dayText }: Words): Column<OwnPasskey>[] => [
  { head: say('second-factor.name'), cell: ({ name }) => <Name>{name}</Name> },
  { head: say('second-factor.added'), cell: ({ createdMs }) => dayText(createdMs) },
  {
    head: say('profile.actions'),
    label: null,
    class: 'actions',
    cell: ({ id, name }) => (
      <a href={`${PATHS.removeFactor}?id=${encodeURIComponent(id)}`}>
        {say('second-factor.remove')}
        <span class="visually-hidden"> {name}</span>
      </a>
    ),
  },
]

function App({ factors: { hasApp }, codesLeft, faults }: Shown) {
  const { say } = useWords()
  const label = say('field.your-password')
  return (
    <section class="stack-tight" aria-labelledby="app-title">
      <h2 id="app-title">{say('second-factor.app')}</h2>
      <p>
        {hasApp
          ? say('second-factor.codes-left', { count: codesLeft })
          : say('second-factor.app-lead')}
      </p>
      {hasApp ? (
        <TokenForm
          action={PATHS.recoveryCodes}
          send={say('second-factor.new-codes')}
          look="button button-quiet"
        >
          <KnownPassword name="codes-password" label={label} error={faults?.codes} />
        </TokenForm>
      ) : (
        <TokenForm action={PATHS.app} send={say('second-factor.set-up-app')}>
          <KnownPassword name="app-password" label={label} error={faults?.app} />
        </TokenForm>
      )}
      {hasApp && (
        <p>
          <a href={PATHS.removeFactor}>{say('second-factor.remove-app')}</a>
        </p>
      )}
    </section>
  )
}

type NewApp = { address: string; fault?: string }

/** The page with the code that an app reads, and the field for its first code. */
export const newAppPage = ({ say }: Words, { address, fault }: NewApp): Page =>
  questionPage({
    title: say('second-factor.new-app'),
    path: PATHS.secondFactor,
    status: fault ? 400 : 200,
    form: {
      ...{ action: PATHS.confirmApp, send: say('confirm.send'), hidden: { address } },
      children: <CodeField error={fault} hint={say('second-factor.code-now')} />,
    },
    back: PATHS.secondFactor,
    children: (
      <>
        <p class="lead">{say('second-factor.scan')}</p>
        <QrCode text={address} label={say('second-factor.qr')} />
        <CopyBox id="app-key" label={say('verify.key')} text={keyIn(address)} />
      </>
    ),
  })

const keyIn = (address: string): string => new URL(address).searchParams.get('secret') ?? ''

export const recoveryCodesPage = ({ say }: Words, codes: readonly string[]): Page =>
  narrowPage({
    title: say('second-factor.codes'),
    path: PATHS.secondFactor,
    children: (
      <>
        <p class="lead">{say('second-factor.codes-lead')}</p>
        <CopyBox
          id="recovery-codes"
          label={say('second-factor.codes-label')}
          text={codes.join('\n')}
        />
        <p>
          <a class="button" href={PATHS.profile}>
            {say('second-factor.codes-kept')}
          </a>
        </p>
      </>
    ),
  })

type Removal = {
  /** The passkey; null for the app. */
  readonly passkey: OwnPasskey | null
  readonly fault?: string
}

export const removeFactorPage = ({ say }: Words, { passkey, fault }: Removal): Page =>
  questionPage({
    title: passkey
      ? say('second-factor.remove-passkey', { name: passkey.name })
      : say('second-factor.remove-app-title'),
    path: PATHS.secondFactor,
    status: fault ? 400 : 200,
    form: {
      ...{ action: PATHS.removeFactor, send: say('second-factor.remove') },
      ...{ isDangerous: true, hidden: passkey ? { id: passkey.id } : {} },
      children: <KnownPassword label={say('field.your-password')} error={fault} />,
    },
    back: PATHS.secondFactor,
    children: (
      <p class="lead">
        {say(passkey ? 'second-factor.remove-passkey-lead' : 'second-factor.remove-app-lead')}
      </p>
    ),
  })

/** A string as a QR code, dark on light in any colour scheme, since cameras need it so. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 })
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
