import {
  type CorridorSending,
  type Habit,
  type Sending,
  type SendingState,
  silentApart,
  silentFromMs,
} from '~/domain/feed/silence.ts'
import { Moment, Seen } from '~/portal/moment.tsx'
import type { Column } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'
import { countText, LongList } from './list-pages.tsx'

export type Sender = Sending & {
  readonly name: string
  readonly isActive: boolean
  readonly state: SendingState
}

export const isSilent = ({ isActive, state }: Sender): boolean => isActive && state === 'silent'

/** The active providers that go on sending, though no longer for all corridors. */
export const partlySilentOf = (senders: readonly Sender[], nowMs: number): Sender[] =>
  senders.filter((sender) => sender.isActive && silentApart(sender, nowMs) > 0)

export const silentCount = (senders: readonly Sender[]): number =>
  senders.reduce((sum, { silentCorridors }) => sum + silentCorridors, 0)

const SENDING_STATES: Readonly<Record<SendingState, string>> = {
  silent: 'silent',
  sending: 'sends',
  ended: 'ended',
  unknown: 'habit unknown',
}

type Props = {
  readonly senders: readonly Sender[]
  readonly mute: readonly string[]
  readonly nowMs: number
  readonly params: URLSearchParams
}

export function Senders({ senders, mute, nowMs, params }: Props) {
  const order = (sender: Sender) => (isSilent(sender) ? 0 : 1)
  const sorted = senders.toSorted((a, b) => order(a) - order(b) || b.newestMs - a.newestMs)
  return (
    <>
      <SilentCorridors senders={partlySilentOf(sorted, nowMs)} nowMs={nowMs} params={params} />
      <section class="stack-tight" aria-labelledby="senders">
        <h2 id="senders">Providers</h2>
        <p class="muted">
          A provider counts as silent when it has missed three of its own usual intervals, or some
          hours of a weekday on which it usually sends; a bank whose rates are fetched, when it has
          missed a day of publication. After ten intervals and thirty days it counts as ended.
        </p>
        {sorted.length === 0 ? (
          <p>No provider has sent anything yet.</p>
        ) : (
          <LongList
            name="senders"
            label="Providers"
            noun="provider"
            params={params}
            columns={senderColumns(nowMs)}
            rows={sorted}
            keyOf={({ providerId }) => providerId}
          />
        )}
        {mute.length > 0 && (
          <details>
            <summary>{countText(mute.length, 'provider')} never sent anything</summary>
            <p class="details-body">{mute.join(', ')}</p>
          </details>
        )}
      </section>
    </>
  )
}

const senderColumns = (nowMs: number): Column<Sender>[] => [
  { head: 'Provider', cell: ({ name }) => name },
  { head: 'State', cell: (sender) => <SendingTag sender={sender} /> },
  ...habitColumns(nowMs),
  {
    head: 'Corridors in 24 h',
    class: 'number',
    cell: ({ freshCorridors, corridors }) => `${freshCorridors} of ${corridors}`,
  },
]

function SendingTag({ sender: { isActive, state } }: { sender: Sender }) {
  if (!isActive) return <span class="tag">not active</span>
  return <span class={state === 'silent' ? 'tag tag-warn' : 'tag'}>{SENDING_STATES[state]}</span>
}

/** The time when something sent last, and when it should have sent again. */
function habitColumns(nowMs: number): Column<Habit>[] {
  const silentFrom = (habit: Habit) => {
    const fromMs = silentFromMs(habit)
    return fromMs === null ? '–' : <Moment ms={fromMs} />
  }
  return [
    { head: 'Newest', cell: ({ newestMs }) => <Seen ms={newestMs} nowMs={nowMs} /> },
    {
      head: 'Usually every',
      class: 'nowrap',
      cell: ({ usualIntervalMs }) =>
        usualIntervalMs === null ? 'too few to say' : ENGLISH.spanText(usualIntervalMs),
    },
    { head: 'Silent from', cell: silentFrom },
  ]
}

type Silent = CorridorSending & { readonly name: string }

function SilentCorridors({ senders, nowMs, params }: Omit<Props, 'mute'>) {
  const count = silentCount(senders)
  const named = senders.flatMap(({ name, lastSilent }) =>
    lastSilent.map((one) => ({ ...one, name })),
  )
  if (count === 0) return null
  return (
    <section class="stack-tight" aria-labelledby="silent">
      <h2 id="silent">Corridors that fell silent</h2>
      <p class="muted">
        Their providers go on sending for others. Each corridor is measured by its own habit; after
        ten of its intervals, and thirty days, it counts as ended and leaves this list.
      </p>
      <LongList
        name="silent"
        label="Corridors that fell silent"
        noun="corridor"
        columns={silentColumns(nowMs)}
        rows={named}
        params={params}
        keyOf={({ name, from, to }) => `${name} ${from} ${to}`}
      />
      {count > named.length && (
        <p class="muted">
          {count - named.length} more fell silent before these and are not listed.
        </p>
      )}
    </section>
  )
}

const silentColumns = (nowMs: number): Column<Silent>[] => [
  { head: 'Provider', cell: ({ name }) => name },
  { head: 'Corridor', class: 'nowrap', cell: ({ from, to }) => `${from} → ${to}` },
  ...habitColumns(nowMs),
]
