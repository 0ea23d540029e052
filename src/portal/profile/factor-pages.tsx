/** @jsxImportSource preact */
import type { Factors, OwnPasskey } from '~/domain/person/profile.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Field } from '~/portal/form.tsx'
import { dayText } from '~/portal/format.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { RowTable } from '~/portal/row-table.tsx'
import { PASSKEY_NAME_LENGTH_MAX, PASSKEYS_MAX } from '~/service/person/second-factor.ts'
import { CodeField, KnownPassword } from './fields.tsx'
import { PasskeyForm } from './passkey.tsx'
import { QrCode } from './qr-code.tsx'

type Shown = {
  readonly pageRequest: PageRequest
  readonly factors: Factors
  readonly codesLeft: number
  readonly isRequired: boolean
  readonly news?: string | undefined
  readonly faults?: Faults
}

/** Error of the password in one of the forms. */
type Faults = { readonly app?: string; readonly codes?: string; readonly passkey?: string }

/** The page on which a person adds and removes second factors. */
export const secondFactorPage = (shown: Shown): Page => ({
  title: 'Second step of the sign-in',
  path: PATHS.secondFactor,
  scripts: ['passkey'],
  status: shown.faults ? 400 : 200,
  body: (
    <div class="stack narrow">
      <div class="stack-tight">
        <h1>Second step of the sign-in</h1>
        {shown.isRequired && (
          <Notice kind="warn" title="Your role needs a second step">
            Set up a passkey or an authenticator app. Until then no other page opens.
          </Notice>
        )}
        {shown.news && <Notice kind="good">{shown.news}</Notice>}
        <p class="lead">
          With a second step, your password alone is not enough to sign in. Set up two ways, in case
          you lose one.
        </p>
      </div>
      <Passkeys {...shown} />
      <App {...shown} />
      {!shown.isRequired && (
        <p>
          <a href={PATHS.profile}>Back to your profile</a>
        </p>
      )}
    </div>
  ),
})

const Passkeys = ({ pageRequest, factors: { passkeys }, faults }: Shown) => (
  <section class="stack-tight" aria-labelledby="passkeys-title">
    <h2 id="passkeys-title">Passkeys</h2>
    <p>
      Your device or a security key signs you in, unlocked by your finger, your face or its PIN. You
      need no password then.
    </p>
    {passkeys.length > 0 && (
      <RowTable
        label="Passkeys"
        rows={passkeys}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: ({ name }: OwnPasskey) => name },
          { head: 'Added', cell: ({ createdMs }: OwnPasskey) => dayText(createdMs) },
          {
            head: 'Actions',
            label: null,
            class: 'actions',
            cell: ({ id, name }: OwnPasskey) => (
              <a href={`${PATHS.removeFactor}?id=${encodeURIComponent(id)}`}>
                Remove<span class="visually-hidden"> {name}</span>
              </a>
            ),
          },
        ]}
      />
    )}
    {faults?.passkey && <Notice kind="bad">{faults.passkey}</Notice>}
    {passkeys.length < PASSKEYS_MAX && (
      <PasskeyForm
        pageRequest={pageRequest}
        action={PATHS.passkey}
        deed="create"
        send="Add a passkey"
      >
        <Field
          name="passkey"
          label="Name of the passkey"
          isRequired
          input={{ autocomplete: 'off', maxLength: PASSKEY_NAME_LENGTH_MAX }}
        />
        <KnownPassword name="passkey-password" label="Your password" />
      </PasskeyForm>
    )}
  </section>
)

const App = ({ pageRequest, factors: { hasApp }, codesLeft, faults }: Shown) => (
  <section class="stack-tight" aria-labelledby="app-title">
    <h2 id="app-title">Authenticator app</h2>
    {hasApp ? (
      <>
        <p>
          Set up. {codesLeft} recovery {codesLeft === 1 ? 'code is' : 'codes are'} left; each works
          once.
        </p>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.recoveryCodes}
          send="Make new recovery codes"
          look="button button-quiet"
        >
          <KnownPassword name="codes-password" label="Your password" error={faults?.codes} />
        </TokenForm>
        <p>
          <a href={PATHS.removeFactor}>Remove the app and its codes</a>
        </p>
      </>
    ) : (
      <>
        <p>An app on your phone shows a code of six digits, which you enter after the password.</p>
        <TokenForm pageRequest={pageRequest} action={PATHS.app} send="Set up an app">
          <KnownPassword name="app-password" label="Your password" error={faults?.app} />
        </TokenForm>
      </>
    )}
  </section>
)

type NewApp = { pageRequest: PageRequest; address: string; fault?: string }

/** The page with the code that an app reads, and the field for its first code. */
export const newAppPage = ({ pageRequest, address, fault }: NewApp): Page =>
  narrowPage({
    scripts: ['copy'],
    title: 'Set up an authenticator app',
    path: PATHS.secondFactor,
    status: fault ? 400 : 200,
    children: (
      <>
        <p class="lead">Scan this with your app, or enter the key by hand.</p>
        <QrCode text={address} label="QR code for the authenticator app" />
        <CopyBox id="app-key" label="the key" text={keyIn(address)} />
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.confirmApp}
          send="Confirm"
          hidden={{ address }}
        >
          <CodeField error={fault} hint="The six digits that the app shows now." />
        </TokenForm>
        <p>
          <a href={PATHS.secondFactor}>Cancel</a>
        </p>
      </>
    ),
  })

const keyIn = (address: string): string => new URL(address).searchParams.get('secret') ?? ''

/** The page that shows recovery codes. */
export const recoveryCodesPage = (codes: readonly string[]): Page =>
  narrowPage({
    scripts: ['copy'],
    title: 'Your recovery codes',
    path: PATHS.secondFactor,
    children: (
      <>
        <p class="lead">
          Keep them where you find them without your phone. Each signs you in once, instead of a
          code from the app. They are not shown again.
        </p>
        <CopyBox id="recovery-codes" label="the codes" text={codes.join('\n')} />
        <p>
          <a class="button" href={PATHS.profile}>
            I have kept them
          </a>
        </p>
      </>
    ),
  })

type Removal = {
  readonly pageRequest: PageRequest
  /** The passkey; null for the app. */
  readonly passkey: OwnPasskey | null
  readonly fault?: string
}

export const removeFactorPage = ({ pageRequest, passkey, fault }: Removal): Page =>
  narrowPage({
    title: passkey ? `Remove the passkey ${passkey.name}?` : 'Remove the authenticator app?',
    path: PATHS.secondFactor,
    status: fault ? 400 : 200,
    children: (
      <>
        <p class="lead">
          {passkey
            ? 'It signs you in no more. Delete it on your device too.'
            : 'Its codes, and the recovery codes, sign you in no more.'}
        </p>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.removeFactor}
          send="Remove"
          isDangerous
          hidden={passkey ? { id: passkey.id } : {}}
        >
          <KnownPassword label="Your password" error={fault} />
        </TokenForm>
        <p>
          <a href={PATHS.secondFactor}>Cancel</a>
        </p>
      </>
    ),
  })
