/** @jsxImportSource preact */
import { READ_ONLY_BUDGET } from '~/domain/account.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { PROGRAMS } from './program-setups.ts'
import { ToolClients } from './tool-clients.tsx'
import { TryIt } from './try-it.tsx'

const KEY_ID = 'new-key'

type NewKey = { readonly key: string; readonly home: string }

type Shown = NewKey & {
  readonly title: string
  readonly lead: string
  /** Next page of the person; the developer area if it is empty. */
  readonly next?: string
}

/** The only page that shows a key: it is in this reply and nowhere else. */
const shownOnce = ({ title, lead, key, home, next }: Shown): Page => ({
  title,
  path: PATHS.developer,
  scripts: ['copy', 'try-it'],
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <CopyBox id={KEY_ID} label="your key" text={key} />
        <Notice kind="warn">
          You will not see it again. Copy it now to where you keep secrets: only a fingerprint and
          the last four characters are stored here, and a lost key can only be replaced.
        </Notice>
        <p>
          <a class="button" href={next || PATHS.developer}>
            I have copied it
          </a>
        </p>
      </div>
      <TryIt home={home} keyFrom={KEY_ID} />
      <ToolClients home={home} />
    </div>
  ),
})

type FirstKey = NewKey & { readonly email: string; readonly next: string }

export const firstKeyPage = ({ email, ...shown }: FirstKey): Page =>
  shownOnce({
    ...shown,
    title: 'Your account and its first key',
    lead: `${email} is confirmed. Your account is on the free plan; call the API with this key.`,
  })

export const newKeyPage = ({ key, name, home }: NewKey & { name: string }): Page =>
  shownOnce({
    title: 'Your new key',
    lead: `It is named ${name} and works now.`,
    key,
    home,
  })

type ProgramKey = NewKey & { readonly name: string; readonly program: (typeof PROGRAMS)[number] }

/** The only page that shows a key for a program, with what to enter there. */
export const programKeyPage = ({ key, name, home, program }: ProgramKey): Page => ({
  title: 'Your new read-only key',
  path: PATHS.developer,
  scripts: ['copy'],
  body: (
    <div class="stack-tight">
      <h1>Your new read-only key</h1>
      <p class="lead">
        It is named {name} and reads mid-market rates, {READ_ONLY_BUDGET} requests a day. It is a
        part of the address below: whoever sees that address can spend those requests, and nothing
        else.
      </p>
      <h2>{program.name}</h2>
      <p>{program.where}</p>
      <CopyBox id={KEY_ID} label="the address" text={program.text(`${home}/compat/${key}`)} />
      <Notice kind="warn">You will not see this key again. Copy the address now.</Notice>
      <p>
        <a class="button" href={PATHS.developer}>
          I have copied it
        </a>
      </p>
    </div>
  ),
})

type Replaced = NewKey & { readonly name: string; readonly ends: string }

export const replacedKeyPage = ({ key, name, ends, home }: Replaced): Page =>
  shownOnce({
    title: 'Your replacement key',
    lead: `${name} has a new key, which works now. The old one stops on ${ends}.`,
    key,
    home,
  })
