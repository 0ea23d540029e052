/** @jsxImportSource preact */
import {
  type CorridorSending,
  type Sending,
  type SendingState,
  sendingStateOf,
  silentApart,
  silentFromMs,
} from '~/domain/feed/silence.ts'
import { spanText } from '~/portal/format.ts'
import { Moment, Seen } from '~/portal/moment.tsx'
import { TableFrame } from '~/portal/table-frame.tsx'

export type Sender = Sending & { readonly name: string; readonly isActive: boolean }

export const isSilent = (sender: Sender, nowMs: number): boolean =>
  sender.isActive && sendingStateOf(sender, nowMs) === 'silent'

/** The active providers that go on sending, though no longer for all corridors. */
export const partlySilentOf = (senders: readonly Sender[], nowMs: number): Sender[] =>
  senders.filter((sender) => sender.isActive && silentApart(sender, nowMs) > 0)

const SENDING_STATES: Readonly<Record<SendingState, string>> = {
  silent: 'silent',
  sending: 'sends',
  unknown: 'habit unknown',
}

type Props = {
  readonly senders: readonly Sender[]
  /** Names of active providers that never sent anything. */
  readonly mute: readonly string[]
  readonly nowMs: number
}

export function Senders({ senders, mute, nowMs }: Props) {
  const order = (sender: Sender) => (isSilent(sender, nowMs) ? 0 : 1)
  const sorted = senders.toSorted((a, b) => order(a) - order(b) || b.newestMs - a.newestMs)
  return (
    <>
      <SilentCorridors senders={partlySilentOf(sorted, nowMs)} nowMs={nowMs} />
      <section class="stack-tight" aria-labelledby="senders-title">
        <h2 id="senders-title">Providers</h2>
        <p class="muted">
          A provider counts as silent when its newest observation is older than three of its own
          usual intervals, and than an hour.
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
    </>
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
        <Seen ms={sender.newestMs} nowMs={nowMs} />
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

/** How many corridors are listed; the count of each provider says how many there are. */
const SHOWN_MAX = 100

type Silent = CorridorSending & { readonly name: string }

function SilentCorridors({ senders, nowMs }: Pick<Props, 'senders' | 'nowMs'>) {
  const count = senders.reduce((sum, { silentCorridors }) => sum + silentCorridors, 0)
  const shown = senders
    .flatMap(({ name, lastSilent }) => lastSilent.map((one) => ({ ...one, name })))
    .slice(0, SHOWN_MAX)
  if (count === 0) return null
  return (
    <section class="stack-tight" aria-labelledby="silent-corridors">
      <h2 id="silent-corridors">Corridors that fell silent</h2>
      <p class="muted">
        Their providers go on sending for others. A corridor is measured by its own habit, and has
        ended, and leaves this list, after ten of its intervals and thirty days.
      </p>
      <TableFrame label="Table of the silent corridors">
        <table class="table table-rows">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Corridor</th>
              <th scope="col">Newest</th>
              <th scope="col">Usually every</th>
              <th scope="col">Silent from</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <SilentRow key={`${one.name} ${one.from} ${one.to}`} one={one} nowMs={nowMs} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {count > shown.length && <p class="muted">And {count - shown.length} more.</p>}
    </section>
  )
}

const SilentRow = ({ one, nowMs }: { one: Silent; nowMs: number }) => (
  <tr>
    <th scope="row">{one.name}</th>
    <td data-label="Corridor" class="nowrap">
      {one.from} → {one.to}
    </td>
    <td data-label="Newest">
      <Seen ms={one.newestMs} nowMs={nowMs} />
    </td>
    <td data-label="Usually every" class="nowrap">
      {spanText(one.usualIntervalMs!)}
    </td>
    <td data-label="Silent from">
      <Moment ms={silentFromMs(one)!} />
    </td>
  </tr>
)
