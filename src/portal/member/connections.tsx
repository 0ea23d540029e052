import { isRevoked, type Key } from '~/domain/account.ts'
import { isConnection } from '~/domain/api-key.ts'
import type { Page } from '~/portal/page.tsx'
import { CONNECTIONS_ID, PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { KeyUsage, OwnUsage } from '~/service/own-usage.ts'
import { endingPage } from './key-pages.tsx'
import { lastUsedText } from './last-used.ts'

/** The applications that a person connected by signing in, each with the way to end it. */
export function Connections({ usage, nowMs }: { usage: OwnUsage; nowMs: number }) {
  const { words, say } = useWords()
  const connected = usage.keys.filter(({ key }) => isConnection(key) && !isRevoked(key, nowMs))
  return (
    <section class="stack-tight" aria-labelledby={CONNECTIONS_ID}>
      <h2 id={CONNECTIONS_ID}>{say('connections.title')}</h2>
      <p class="muted">{say(connected.length === 0 ? 'connections.none' : 'connections.some')}</p>
      {connected.length > 0 && (
        <RowTable
          label={say('connections.title')}
          columns={columnsAt(words, nowMs)}
          rows={connected}
          keyOf={({ key }) => key.id}
        />
      )}
    </section>
  )
}

const columnsAt = (words: Words, nowMs: number): Column<KeyUsage>[] => [
  { head: words.say('second-factor.name'), cell: ({ key }) => <Name>{key.name}</Name> },
  { head: words.say('connections.connected'), cell: ({ key }) => words.dayText(key.createdMs) },
  { head: words.say('profile.last-used'), cell: (one) => lastUsedText(words, one, nowMs) },
  { head: words.say('developer.today'), class: 'number', cell: ({ days }) => days.at(-1) },
  {
    head: words.say('profile.actions'),
    label: null,
    class: 'actions',
    cell: ({ key }) => (
      <a href={`${PATHS.revoke}?key=${key.id}`}>
        {words.say('connections.disconnect')}
        <span class="visually-hidden"> {key.name}</span>
      </a>
    ),
  },
]

export const disconnectPage = ({ say }: Words, key: Key): Page =>
  endingPage(key, {
    title: say('connections.disconnect-title', { name: key.name }),
    question: say('connections.disconnect-question', { name: key.name }),
    lead: say('connections.disconnect-lead'),
    send: say('connections.disconnect'),
    part: CONNECTIONS_ID,
  })
