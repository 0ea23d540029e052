/** @jsxImportSource preact */
import { isRevoked, type Key } from '~/domain/account.ts'
import { isConnection } from '~/domain/api-key.ts'
import { dayText } from '~/portal/format.ts'
import type { Page } from '~/portal/page.tsx'
import { CONNECTIONS_ID, PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import type { KeyUsage, OwnUsage } from '~/service/own-usage.ts'
import { endingPage } from './key-pages.tsx'
import { lastUsedText } from './last-used.ts'
import type { PageRequest } from './page-request.tsx'

/** The applications that a person connected by signing in, each with the way to end it. */
export function Connections({ usage, nowMs }: { usage: OwnUsage; nowMs: number }) {
  const connected = usage.keys.filter(({ key }) => isConnection(key) && !isRevoked(key, nowMs))
  return (
    <section class="stack-tight" aria-labelledby={CONNECTIONS_ID}>
      <h2 id={CONNECTIONS_ID}>Connected applications</h2>
      <p class="muted">
        {connected.length === 0
          ? 'None. An application that can sign in needs only the address of the tools, below.'
          : 'They may ask the tools on your daily requests, and nothing else.'}
      </p>
      {connected.length > 0 && (
        <RowTable
          label="Connected applications"
          columns={columnsAt(nowMs)}
          rows={connected}
          keyOf={({ key }) => key.id}
        />
      )}
    </section>
  )
}

const columnsAt = (nowMs: number): Column<KeyUsage>[] => [
  { head: 'Name', cell: ({ key }) => key.name },
  { head: 'Connected', cell: ({ key }) => dayText(key.createdMs) },
  { head: 'Last used', cell: (one) => lastUsedText(one, nowMs) },
  { head: 'Today', class: 'number', cell: ({ days }) => days.at(-1) },
  {
    head: 'Actions',
    label: null,
    class: 'actions',
    cell: ({ key }) => (
      <a href={`${PATHS.revoke}?key=${key.id}`}>
        Disconnect<span class="visually-hidden"> {key.name}</span>
      </a>
    ),
  },
]

export const disconnectPage = (pageRequest: PageRequest, key: Key): Page =>
  endingPage(pageRequest, key, {
    title: `Disconnect ${key.name}`,
    question: `Disconnect ${key.name}?`,
    lead:
      'It may no longer ask anything on your account, at once and everywhere. You can connect it ' +
      'again at any time.',
    send: 'Disconnect',
    part: CONNECTIONS_ID,
  })
