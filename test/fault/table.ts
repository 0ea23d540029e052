import type { Account } from './ledger.ts'
import type { Heard } from './live/readers.ts'
import type { Received } from './live/receivers.ts'
import { percentile, type Tally } from './tally.ts'

/** Outcome of a failure. */
export type Outcome = {
  readonly fault: string
  readonly sent: number
  readonly wrong: number
  readonly errors: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly found: number
  readonly doubled: number
  readonly heard: Heard
  readonly received: Received
  readonly healMs: number | null
  /** p99 of live reads, in milliseconds. */
  readonly beforeMs: number
  readonly duringMs: number
  /** The longest time that this process was not running. */
  readonly stallMs: number
  readonly notes: Readonly<Record<string, string | number>>
  /** Conditions that did not hold. */
  readonly broken: readonly string[]
}

type Kept = 'fault' | 'heard' | 'received' | 'healMs' | 'stallMs' | 'notes' | 'broken'

type Parts = Pick<Outcome, Kept> & {
  readonly tally: Tally
  readonly account: Account
  readonly mayReset: boolean
}

const SHOWN_MAX = 5

/** Events and messages that streams and webhooks did not send correctly. */
function untold({ heard, received, mayReset }: Parts): string[] {
  const { missed, doubled, resets, faults, events } = heard
  const { lost, fired } = received
  return [
    ...(missed.length > 0 ? [`${missed.length} events missed`, ...missed.slice(0, SHOWN_MAX)] : []),
    ...(doubled > 0 ? [`${doubled} events came twice`] : []),
    ...(resets.length > 0 && !mayReset ? [`streams were reset: ${resets.join(', ')}`] : []),
    ...(events === 0 ? ['no stream sent anything'] : []),
    ...(lost.length > 0 ? [`alerts lost: ${lost.slice(0, SHOWN_MAX).join(', ')}`] : []),
    ...(received.doubled > 0 ? [`${received.doubled} alerts fired twice`] : []),
    ...(fired === 0 ? ['no alert fired'] : []),
    ...faults,
    ...received.faults,
  ]
}

export function outcomeOf(parts: Parts): Outcome {
  const { tally, account, mayReset: _, ...rest } = parts
  const { acknowledged, found, doubled, lost } = account
  const broken = [
    ...(tally.wrong > 0 ? [`${tally.wrong} wrong answers`, ...tally.wrongs] : []),
    ...(lost.length > 0 ? [`acknowledged and lost: ${lost.slice(0, 5).join(', ')}`] : []),
    ...(doubled > 0 ? [`${doubled} observations are there twice`] : []),
    ...(acknowledged === 0 ? ['nothing was recorded at all'] : []),
    ...(rest.healMs === null ? ['it did not heal'] : []),
    ...untold(parts),
    ...rest.broken,
  ]
  return {
    ...rest,
    sent: tally.sent,
    wrong: tally.wrong,
    errors: Object.fromEntries([...tally.errors].sort()),
    ...{ acknowledged, found, doubled, broken },
    beforeMs: percentile(tally.before, 0.99),
    duringMs: percentile(tally.during, 0.99),
  }
}

const HEAD = [
  ...['fault', 'requests', 'wrong', 'errors', 'acknowledged', 'found', 'doubled'],
  ...['events sent (missed, doubled, resets)', 'alerts fired (lost, doubled)'],
  ...['to heal', 'p99 of live reads before, during', 'of its own'],
]

const ms = (value: number): string =>
  Number.isNaN(value) ? '-' : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`

const listed = (record: Readonly<Record<string, string | number>>, by: string): string =>
  Object.entries(record)
    .map(([name, value]) => (by === ': ' ? `${name}: ${value}` : `${value} x ${name}`))
    .join(', ')

function rowOf(outcome: Outcome): string[] {
  const { fault, sent, wrong, errors, acknowledged, found, doubled, healMs, notes } = outcome
  const { heard, received } = outcome
  return [
    fault,
    String(sent),
    String(wrong),
    listed(errors, ' x ') || 'none',
    String(acknowledged),
    String(found),
    String(doubled),
    `${heard.events} (${heard.missed.length}, ${heard.doubled}, ${heard.resets.length})`,
    `${received.fired} (${received.lost.length}, ${received.doubled})`,
    healMs === null ? 'never' : ms(healMs),
    `${ms(outcome.beforeMs)}, ${ms(outcome.duringMs)}`,
    listed({ ...notes, ...(received.unseen > 0 && { 'unseen crossings': received.unseen }) }, ': '),
  ]
}

/** The outcomes as a Markdown table. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const lines = [HEAD, HEAD.map(() => '---'), ...outcomes.map(rowOf)]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Errors, failure by failure; empty for none. */
export const complaintsOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap(({ fault, broken }) => broken.map((reason) => `${fault}: ${reason}`))
