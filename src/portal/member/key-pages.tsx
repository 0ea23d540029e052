import type { Key } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { Select } from '~/portal/form.tsx'
import type { Page } from '~/portal/page.tsx'
import { KEYS_ID, PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { OVERLAPS_MS, type Overlap } from '~/service/own-keys.ts'
import { questionPage } from './question-page.tsx'

const OVERLAPS = Object.keys(OVERLAPS_MS) as Overlap[]

export const isOverlap = (text: string): text is Overlap => Object.hasOwn(OVERLAPS_MS, text)

type Ending = {
  /** Action of the person, and its object. */
  readonly title: string
  readonly question: string
  readonly lead: string
  readonly send: string
  /** Part of the developer area that is opened again. */
  readonly part: string
}

/** The page that asks whether a key, or an application's connection, is really to end. */
export const endingPage = (key: Key, ending: Ending): Page =>
  questionPage({
    title: ending.title,
    path: PATHS.developer,
    heading: ending.question,
    form: {
      ...{ action: `${PATHS.revoke}#${ending.part}`, send: ending.send },
      ...{ hidden: { key: key.id }, isDangerous: true },
    },
    back: PATHS.developer,
    children: <p class="lead">{ending.lead}</p>,
  })

export const revokePage = ({ say, spanText }: Words, key: Key, nowMs: number): Page => {
  const { name, revokedMs } = key
  const left =
    revokedMs === null ? '' : ` ${say('key-revoke.left', { span: spanText(revokedMs - nowMs) })}`
  return endingPage(key, {
    title: say('key-revoke.title', { name }),
    question: say('key-revoke.question', { name }),
    lead: say('key-revoke.lead', { mark: keyMark(key) }) + left,
    send: say('key-revoke.send'),
    part: KEYS_ID,
  })
}

export const replacePage = ({ say }: Words, key: Key): Page =>
  questionPage({
    title: say('key-replace.title', { name: key.name }),
    path: PATHS.developer,
    heading: say('key-replace.question', { name: key.name }),
    form: {
      ...{ action: `${PATHS.replace}#${KEYS_ID}`, send: say('key-replace.send') },
      hidden: { key: key.id },
      children: (
        <Select
          name="overlap"
          label={say('key-replace.overlap')}
          value="24h"
          options={OVERLAPS.map((value) => ({ value, text: say(`key-overlap.${value}`) }))}
        />
      ),
    },
    back: PATHS.developer,
    children: <p class="lead">{say('key-replace.lead', { mark: keyMark(key) })}</p>,
  })
