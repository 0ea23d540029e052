/** @jsxImportSource preact */
import { DELIVERIES_MAX, type Delivery, type DeliveryKind } from '~/domain/alert/delivery.ts'
import { spanText } from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'

type Props = {
  /** The newest first. */
  readonly deliveries: readonly Delivery[]
  readonly isMail: boolean
  readonly nowMs: number
  /** The path of the page. */
  readonly here: string
}

/** What was sent, and what the receiver answered. */
export function Deliveries({ deliveries, isMail, nowMs, here }: Props) {
  const isWaiting = deliveries.some(({ status }) => status === 'waiting')
  return (
    <section class="stack-tight" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Last deliveries</h2>
      {deliveries.length === 0 ? (
        <p class="muted">
          Nothing was sent yet. A test shows whether {isMail ? 'mail' : 'a call'} of ours arrives.
        </p>
      ) : (
        <RowTable
          label="Last deliveries"
          columns={columnsAt(nowMs, isMail)}
          rows={deliveries}
          keyOf={({ id }) => id}
        />
      )}
      {isWaiting && (
        <p>
          <a href={here}>Look again</a>
        </p>
      )}
      <p class="muted small">
        What does not arrive is tried again, less and less often, for three days; a test is sent
        once. Shown are the last {DELIVERIES_MAX}, for 30 days.
      </p>
    </section>
  )
}

const KINDS: Readonly<Record<DeliveryKind, string>> = {
  fired: 'alert',
  test: 'test',
  ended: 'end of the alert',
}

const columnsAt = (nowMs: number, isMail: boolean): Column<Delivery>[] => [
  { head: 'Made', cell: ({ createdMs }) => <Moment ms={createdMs} /> },
  { head: 'What', cell: ({ kind }) => KINDS[kind] },
  { head: 'State', cell: (delivery) => <Outcome of={delivery} nowMs={nowMs} /> },
  { head: isMail ? 'Mail server' : 'Answer', cell: (delivery) => <Answer of={delivery} /> },
  { head: 'Tries', class: 'number', cell: ({ tries }) => tries },
  { head: 'Sent', label: null, cell: (delivery) => <Sent of={delivery} /> },
]

function Outcome({ of: { status, nextMs, doneMs }, nowMs }: { of: Delivery; nowMs: number }) {
  if (status === 'done')
    return (
      <div>
        <span class="tag tag-good">arrived</span> {doneMs !== null && <Moment ms={doneMs} />}
      </div>
    )
  if (status === 'given_up') return <span class="tag tag-warn">given up</span>
  return (
    <div>
      <span class="tag">waiting</span>{' '}
      {nextMs > nowMs ? `next try in ${shortSpan(nextMs - nowMs)}` : 'being sent'}
    </div>
  )
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000

const shortSpan = (ms: number): string =>
  ms < MINUTE_MS ? `${Math.ceil(ms / SECOND_MS)} s` : spanText(ms)

function Answer({ of: { tries, lastStatus, lastError, lastReply, lastMs } }: { of: Delivery }) {
  if (tries === 0) return <div>not tried yet</div>
  const took = lastMs === null ? '' : ` after ${tookText(lastMs)}`
  return (
    <div>
      {lastReply ?? lastStatus ?? 'no answer'}
      {took}
      {lastError !== null && <span class="row-note">{lastError}</span>}
    </div>
  )
}

const tookText = (ms: number): string =>
  ms < SECOND_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`

const Sent = ({ of: { id, body } }: { of: Delivery }) => (
  <details class="sent">
    <summary>Show</summary>
    <p class="small">
      <span class="muted">webhook-id</span> {id}
    </p>
    <pre>
      <code>{body}</code>
    </pre>
  </details>
)
