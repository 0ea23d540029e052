/** @jsxImportSource preact */

import {
  type Sending,
  type SendingState,
  sendingStateOf,
  silentFromMs,
} from '~/domain/feed/silence.ts'
import type { FeedRecord, FeedState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import { spanText } from '~/portal/format.ts'
import { Age, Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { TableFrame } from '~/portal/table-frame.tsx'
import { type Mid, Mids } from './mids.tsx'

const PLACES = [
  { path: PATHS.operator, text: 'Data' },
  { path: PATHS.accounts, text: 'Accounts' },
  { path: PATHS.log, text: 'Changes' },
] as const

export const Places = ({ current }: { current: string }) => (
  <nav aria-label="Operator">
    <ul class="tabs">
      {PLACES.map(({ path, text }) => (
        <li key={path}>
          <a href={path} aria-current={path === current ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

type Sender = Sending & { readonly name: string; readonly isActive: boolean }

type Props = {
  readonly nowMs: number
  readonly feeds: FeedState
  /** The newest reference; null before the first. */
  readonly newest: Reference | null
  readonly isMidRecent: boolean
  readonly mids: readonly Mid[]
  readonly senders: readonly Sender[]
  /** Names of active providers that never sent anything. */
  readonly mute: readonly string[]
}

export const operatorPage = (props: Props): Page => ({
  title: 'Operator',
  path: PATHS.operator,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Operator</h1>
        <Places current={PATHS.operator} />
      </div>
      <Alarms {...props} />
      <Feeds {...props} />
      <Senders {...props} />
    </div>
  ),
})

const isSilent = (sender: Sender, nowMs: number): boolean =>
  sender.isActive && sendingStateOf(sender, nowMs) === 'silent'

function Alarms({ senders, nowMs, isMidRecent, feeds }: Props) {
  const silent = senders.filter((sender) => isSilent(sender, nowMs))
  const failing = feeds.feeds.filter((feed) => feed.isFailing)
  if (silent.length === 0 && failing.length === 0 && isMidRecent)
    return (
      <Notice kind="good">Every feed answers and every provider sends as it usually does.</Notice>
    )
  return (
    <div class="stack-tight">
      {!isMidRecent && (
        <Notice kind="bad">
          The newest mid is too old to be shown as recent, or there is none.
        </Notice>
      )}
      {failing.length > 0 && (
        <Notice kind="warn">Failing: {failing.map(({ id }) => id).join(', ')}.</Notice>
      )}
      {silent.length > 0 && (
        <Notice kind="warn" title={`${countText(silent.length, 'provider')} fell silent`}>
          Longer than three of their own usual intervals: {namesText(silent)}.
        </Notice>
      )}
    </div>
  )
}

const NAMES_MAX = 12

function namesText(senders: readonly Sender[]): string {
  const names = senders.slice(0, NAMES_MAX).map(({ name }) => name)
  const more = senders.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}

export const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

function Feeds({ feeds, newest, mids, nowMs }: Props) {
  return (
    <section class="stack-tight" aria-labelledby="feeds-title">
      <h2 id="feeds-title">Reference feeds</h2>
      <p class="muted">
        {newest ? (
          <>
            The newest mid is <Age ms={newest.atMs} nowMs={nowMs} /> old, from {newest.source}.{' '}
          </>
        ) : (
          'There is no mid yet. '
        )}
        {feeds.ranMs === null ? (
          'No feed was asked yet.'
        ) : (
          <>
            They were last asked on <Moment ms={feeds.ranMs} />.
          </>
        )}
      </p>
      {feeds.feeds.length > 0 && (
        <TableFrame label="Table of the feeds">
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col">Feed</th>
                <th scope="col">State</th>
                <th scope="col">Last success</th>
                <th scope="col">Last failure</th>
              </tr>
            </thead>
            <tbody>
              {feeds.feeds.map((feed) => (
                <FeedRow key={feed.id} feed={feed} served={feeds.served} nowMs={nowMs} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {feeds.held.map(({ currency, source, sinceMs }) => (
        <Notice key={currency} kind="warn">
          {currency} from {source} moved too far to be believed and is held back since{' '}
          <Moment ms={sinceMs} />.
        </Notice>
      ))}
      <Mids mids={mids} held={feeds.held} nowMs={nowMs} />
    </section>
  )
}

type FeedProps = { feed: FeedRecord; served: string | null; nowMs: number }

const FeedRow = ({ feed, served, nowMs }: FeedProps) => (
  <tr>
    <th scope="row">
      {feed.id} {feed.id === served && <span class="tag tag-good">served last</span>}
    </th>
    <td data-label="State">{stateText(feed)}</td>
    <td data-label="Last success">
      {feed.succeededMs === null ? 'never' : <Age ms={feed.succeededMs} nowMs={nowMs} />}
    </td>
    <td data-label="Last failure">
      {feed.failedMs === null ? (
        'never'
      ) : (
        <span>
          <Age ms={feed.failedMs} nowMs={nowMs} />: {feed.message}
        </span>
      )}
    </td>
  </tr>
)

function stateText({ triedMs, isFailing }: FeedRecord): string {
  if (triedMs === null) return 'not asked yet'
  return isFailing ? 'failing' : 'works'
}

const SENDING_STATES: Readonly<Record<SendingState, string>> = {
  silent: 'silent',
  sending: 'sends',
  unknown: 'habit unknown',
}

function Senders({ senders, mute, nowMs }: Props) {
  const order = (sender: Sender) => (isSilent(sender, nowMs) ? 0 : 1)
  const sorted = senders.toSorted((a, b) => order(a) - order(b) || b.newestMs - a.newestMs)
  return (
    <section class="stack-tight" aria-labelledby="senders-title">
      <h2 id="senders-title">Providers</h2>
      <p class="muted">
        A provider counts as silent when its newest observation is older than three of its own usual
        intervals, and than an hour.
      </p>
      {sorted.length === 0 ? (
        <p>No provider has sent anything yet.</p>
      ) : (
        <TableFrame label="Table of the providers">
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col">Provider</th>
                <th scope="col">State</th>
                <th scope="col">Newest</th>
                <th scope="col">Usually every</th>
                <th scope="col">Silent from</th>
                <th scope="col" class="number">
                  Corridors in 24 h
                </th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((sender) => (
                <SenderRow key={sender.providerId} sender={sender} nowMs={nowMs} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {mute.length > 0 && <p class="muted">Never sent anything: {mute.join(', ')}.</p>}
    </section>
  )
}

function SenderRow({ sender, nowMs }: { sender: Sender; nowMs: number }) {
  const state = sendingStateOf(sender, nowMs)
  const silentFrom = silentFromMs(sender)
  return (
    <tr>
      <th scope="row">{sender.name}</th>
      <td data-label="State">
        {sender.isActive ? (
          <span class={state === 'silent' ? 'tag tag-warn' : 'tag'}>{SENDING_STATES[state]}</span>
        ) : (
          <span class="tag">not active</span>
        )}
      </td>
      <td data-label="Newest">
        <span class="nowrap">
          <Age ms={sender.newestMs} nowMs={nowMs} /> ago
        </span>
      </td>
      <td data-label="Usually every" class="nowrap">
        {sender.usualIntervalMs === null ? 'too few to say' : spanText(sender.usualIntervalMs)}
      </td>
      <td data-label="Silent from">{silentFrom === null ? '–' : <Moment ms={silentFrom} />}</td>
      <td data-label="Corridors in 24 h" class="number">
        {sender.freshCorridors} of {sender.corridors}
      </td>
    </tr>
  )
}
