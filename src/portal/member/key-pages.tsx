/** @jsxImportSource preact */
import type { Key } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { Select } from '~/portal/form.tsx'
import { spanText } from '~/portal/format.ts'
import type { Page } from '~/portal/page.tsx'
import { KEYS_ID, PATHS } from '~/portal/paths.ts'
import { OVERLAPS_MS, type Overlap } from '~/service/own-keys.ts'
import type { PageRequest } from './page-request.tsx'
import { TokenForm } from './token-form.tsx'

const OVERLAP_TEXT: Readonly<Record<Overlap, string>> = {
  '1h': 'an hour',
  '24h': 'a day',
  '7d': 'a week',
}

export const isOverlap = (text: string): text is Overlap => Object.hasOwn(OVERLAPS_MS, text)

type Ending = {
  /** Action of the person, and its object. */
  readonly title: string
  readonly question: string
  /** Consequence of the action. */
  readonly lead: string
  readonly send: string
  /** Part of the developer area that is opened again. */
  readonly part: string
}

/** The page that asks whether a key, or an application's connection, is really to end. */
export const endingPage = (pageRequest: PageRequest, key: Key, ending: Ending): Page => ({
  title: ending.title,
  path: PATHS.developer,
  body: (
    <div class="stack-tight narrow">
      <h1>{ending.question}</h1>
      <p class="lead">{ending.lead}</p>
      <TokenForm
        pageRequest={pageRequest}
        action={`${PATHS.revoke}#${ending.part}`}
        send={ending.send}
        isDangerous
        hidden={{ key: key.id }}
      />
      <p>
        <a href={PATHS.developer}>Cancel</a>
      </p>
    </div>
  ),
})

export const revokePage = (pageRequest: PageRequest, key: Key): Page => {
  const { revokedMs } = key
  const mark = keyMark(key)
  const left =
    revokedMs === null
      ? ''
      : ` If you keep it, it ends in ${spanText(revokedMs - pageRequest.nowMs)}.`
  return endingPage(pageRequest, key, {
    title: `Revoke ${key.name}`,
    question: `Revoke the key ${key.name}?`,
    lead: `It is ${mark}. It stops working at once, everywhere, and cannot be restored.${left}`,
    send: 'Revoke key',
    part: KEYS_ID,
  })
}

export const replacePage = (pageRequest: PageRequest, key: Key): Page => ({
  title: `Replace ${key.name}`,
  path: PATHS.developer,
  body: (
    <div class="stack-tight narrow">
      <h1>Replace the key {key.name}</h1>
      <p class="lead">
        It is {keyMark(key)}. You get a new key with the same name now. The old one keeps working
        for the time you choose, then stops.
      </p>
      <TokenForm
        pageRequest={pageRequest}
        action={`${PATHS.replace}#${KEYS_ID}`}
        send="Create the new key"
        hidden={{ key: key.id }}
      >
        <Select
          name="overlap"
          label="Keep the old key for"
          value="24h"
          options={Object.entries(OVERLAP_TEXT).map(([value, text]) => ({ value, text }))}
        />
      </TokenForm>
      <p>
        <a href={PATHS.developer}>Cancel</a>
      </p>
    </div>
  ),
})
