import { READ_ONLY_BUDGET } from '~/domain/account.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Program } from './program-setups.ts'
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
const shownOnce = ({ say }: Words, { title, lead, key, home, next }: Shown): Page => ({
  title,
  path: PATHS.developer,
  scripts: ['try-it'],
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <CopyBox id={KEY_ID} label={say('new-key.label')} text={key} />
        <Notice kind="warn">{say('new-key.once')}</Notice>
        <p>
          <a class="button" href={next || PATHS.developer}>
            {say('secret.copied')}
          </a>
        </p>
      </div>
      <TryIt home={home} keyFrom={KEY_ID} />
      <ToolClients home={home} />
    </div>
  ),
})

type FirstKey = NewKey & { readonly email: string; readonly next: string }

export const firstKeyPage = (words: Words, { email, ...shown }: FirstKey): Page =>
  shownOnce(words, {
    ...shown,
    title: words.say('first-key.title'),
    lead: words.say('first-key.lead', { email }),
  })

type Named = NewKey & { readonly name: string }

export const newKeyPage = (words: Words, { name, ...shown }: Named): Page =>
  shownOnce(words, {
    ...shown,
    title: words.say('new-key.title'),
    lead: words.say('new-key.lead', { name }),
  })

/** The only page that shows a key for a program, with what to enter there. */
export const programKeyPage = (
  words: Words,
  { key, name, home }: Named,
  program: Program,
): Page => ({
  title: words.say('new-key.read-only'),
  path: PATHS.developer,
  body: (
    <div class="stack-tight">
      <h1>{words.say('new-key.read-only')}</h1>
      <p class="lead">{words.say('new-key.read-only-lead', { name, budget: READ_ONLY_BUDGET })}</p>
      <h2>{program.name(words)}</h2>
      <p>{program.where(words)}</p>
      <CopyBox
        id={KEY_ID}
        label={words.say('data.address')}
        text={program.text(`${home}/compat/${key}`)}
      />
      <Notice kind="warn">{words.say('new-key.once-address')}</Notice>
      <p>
        <a class="button" href={PATHS.developer}>
          {words.say('secret.copied')}
        </a>
      </p>
    </div>
  ),
})

type Replaced = Named & { readonly endsMs: number }

export const replacedKeyPage = (words: Words, { name, endsMs, ...shown }: Replaced): Page =>
  shownOnce(words, {
    ...shown,
    title: words.say('new-key.replaced'),
    lead: words.say('new-key.replaced-lead', { name, time: words.momentText(endsMs) }),
  })
