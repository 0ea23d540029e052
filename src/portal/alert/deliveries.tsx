/** @jsxImportSource preact */
import { DELIVERIES_MAX, type Delivery } from '~/domain/alert/delivery.ts'
import { deliveryErrorKind } from '~/domain/alert/reason.ts'
import { Moment } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'

type Props = {
  /** The newest first. */
  readonly deliveries: readonly Delivery[]
  readonly isMail: boolean
  readonly nowMs: number
  /** The path of the page. */
  readonly here: string
}

/** Deliveries with the receiver's responses. */
export function Deliveries({ deliveries, isMail, nowMs, here }: Props) {
  const words = useWords()
  const { say } = words
  const isWaiting = deliveries.some(({ status }) => status === 'waiting')
  return (
    <section class="stack-tight" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{say('delivery.title')}</h2>
      {deliveries.length === 0 ? (
        <p class="muted">{say(isMail ? 'delivery.none-mail' : 'delivery.none-call')}</p>
      ) : (
        <RowTable
          label={say('delivery.title')}
          columns={columnsAt(words, nowMs, isMail)}
          rows={deliveries}
          keyOf={({ id }) => id}
        />
      )}
      {isWaiting && (
        <p>
          <a href={here}>{say('delivery.look-again')}</a>
        </p>
      )}
      <p class="muted small">{say('delivery.tries-note', { most: DELIVERIES_MAX })}</p>
    </section>
  )
}

const columnsAt = ({ say }: Words, nowMs: number, isMail: boolean): Column<Delivery>[] => [
  { head: say('alert.made'), cell: ({ createdMs }) => <Moment ms={createdMs} /> },
  { head: say('delivery.what'), cell: ({ kind }) => say(`delivery-kind.${kind}`) },
  { head: say('alert.state'), cell: (delivery) => <Outcome of={delivery} nowMs={nowMs} /> },
  {
    head: say(isMail ? 'delivery.mail-server' : 'delivery.answer'),
    cell: (delivery) => <Answer of={delivery} />,
  },
  { head: say('delivery.tries'), class: 'number', cell: ({ tries }) => tries },
  { head: say('delivery.sent'), label: null, cell: (delivery) => <Sent of={delivery} /> },
]

function Outcome({ of: { status, nextMs, doneMs }, nowMs }: { of: Delivery; nowMs: number }) {
  const words = useWords()
  const { say } = words
  if (status === 'done')
    return (
      <div>
        <span class="tag tag-good">{say('delivery.arrived')}</span>{' '}
        {doneMs !== null && <Moment ms={doneMs} />}
      </div>
    )
  if (status === 'given_up') return <span class="tag tag-warn">{say('delivery.given-up')}</span>
  return (
    <div>
      <span class="tag">{say('delivery.waiting')}</span>{' '}
      {nextMs > nowMs
        ? say('delivery.next', { span: shortSpan(words, nextMs - nowMs) })
        : say('delivery.sending')}
    </div>
  )
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000

const shortSpan = ({ spanText }: Words, ms: number): string =>
  ms < MINUTE_MS ? `${Math.ceil(ms / SECOND_MS)} s` : spanText(ms)

function Answer({ of: { tries, lastStatus, lastError, lastReply, lastMs } }: { of: Delivery }) {
  const { say } = useWords()
  if (tries === 0) return <div>{say('delivery.untried')}</div>
  const took = lastMs === null ? '' : ` ${say('delivery.after', { span: tookText(lastMs) })}`
  return (
    <div>
      <bdi>{lastReply ?? lastStatus ?? say('delivery.no-answer')}</bdi>
      {took}
      {lastError !== null && <Fault error={lastError} />}
    </div>
  )
}

/** An error of ours in the reader's language; one of a receiver as it was, in English. */
function Fault({ error }: { error: string }) {
  const { say } = useWords()
  const kind = deliveryErrorKind(error)
  return kind ? (
    <span class="row-note">{say(`delivery-error.${kind}`)}</span>
  ) : (
    <span class="row-note" lang="en" dir="ltr">
      {error}
    </span>
  )
}

const tookText = (ms: number): string =>
  ms < SECOND_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`

const Sent = ({ of: { id, body } }: { of: Delivery }) => (
  <details class="sent">
    <summary>{useWords().say('corridors.show')}</summary>
    <p class="small">
      <span class="muted">webhook-id</span> {id}
    </p>
    <pre>
      <code>{body}</code>
    </pre>
  </details>
)
