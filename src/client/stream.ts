import type { EventSourceMessage } from 'eventsource-parser'
import { CorridorError } from './corridor-error.ts'
import { messagesOf, strange } from './event-reader.ts'
import type { StreamOptions } from './options.ts'
import { pauseMs } from './patience.ts'
import { isKnown, type StreamEvent } from './stream-event.ts'

const EVENT_STREAM = 'text/event-stream'
/** Maximum random extension of a wait, so that many clients do not reconnect at once. */
const SPREAD = 0.5

/** Events that even a failing connection sends, so they do not reset the back-off. */
const OF_THE_CONNECTION: readonly StreamEvent['type'][] = ['hello', 'reset', 'slow', 'ended']

type Terms = StreamOptions & {
  readonly retries: number
  readonly waitMsMax: number
  readonly silenceMsMax: number | null
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Opens one connection after the event with this id; returns its response or the error. */
  readonly open: (lastEventId: string | null) => Promise<Response | CorridorError>
}

/** State that outlives a connection. */
class Course {
  /** Says whether a connection has been open. */
  isOpened = false
  /** Connections in a row that were refused or ended without an event. */
  failures = 0
  /** Wait before the next connection, as the service requested. */
  retryMs: number | null = null

  constructor(public lastEventId: string | null) {}

  readonly onAlive = (): void => {
    this.failures = 0
  }

  readonly onRetry = (ms: number): void => {
    this.retryMs = ms
  }
}

/**
 * The events of a stream. A connection that ends is reopened after the last event that was yielded.
 * Rejects with a CorridorError if it is refused for good, or with the signal's reason.
 */
export async function* streamed(terms: Terms): AsyncGenerator<StreamEvent, void, void> {
  const { signal, silenceMsMax, lastEventId = null } = terms
  const course = new Course(lastEventId)
  const { onAlive, onRetry } = course
  for (;;) {
    const { body } = await opened(terms, course)
    for await (const message of messagesOf(body!, { signal, silenceMsMax, onRetry, onAlive })) {
      signal?.throwIfAborted()
      const event = eventOf(message, course)
      if (event) yield event
    }
    signal?.throwIfAborted()
    await pause(terms, course)
  }
}

/** Opens a connection, with as many tries as it takes. */
async function opened(terms: Terms, course: Course): Promise<Response> {
  for (;;) {
    terms.signal?.throwIfAborted()
    const outcome = await terms.open(course.lastEventId)
    if (!(outcome instanceof CorridorError)) {
      course.isOpened = true
      return outcome
    }
    await pause(terms, course, outcome)
  }
}

/**
 * Waits before the next connection. Throws `refusal` if it is final: until the first connection by
 * the rules of a call; after that any temporary failure is retried, timeouts included.
 */
async function pause(terms: Terms, course: Course, refusal?: CorridorError): Promise<void> {
  const { isOpened, failures: earlier, retryMs } = course
  const retries = isOpened ? Number.POSITIVE_INFINITY : terms.retries
  const lost = { code: 'lost', status: null, retryAfterSeconds: null }
  const isLate = isOpened && refusal?.code === 'timeout'
  const miss = { ...(refusal && !isLate ? facts(refusal) : lost), earlier, isRepeatable: true }
  const { waitMsMax } = terms
  const ms = retryMs === null ? pauseMs(miss, { retries, waitMsMax }) : Math.min(retryMs, waitMsMax)
  if (ms === null) throw refusal
  course.failures += 1
  course.retryMs = null
  await terms.wait(ms * (1 + Math.random() * SPREAD), terms.signal)
}

const facts = ({ code, status, retryAfterSeconds }: CorridorError) => ({
  ...{ code, status, retryAfterSeconds },
})

/** The event to yield; null for an event of an unknown type. */
function eventOf({ id, event: type, data }: EventSourceMessage, course: Course) {
  // A hello may name a position beyond events that a resumed stream is about to send.
  if (id && (type !== 'hello' || course.lastEventId === null)) course.lastEventId = id
  if (!isKnown(type)) return null
  if (!OF_THE_CONNECTION.includes(type)) course.failures = 0
  try {
    return { type, id: id ?? null, data: JSON.parse(data) } as StreamEvent
  } catch {
    throw strange(`the event ${type} is not JSON`)
  }
}

/** The response, or the error that it is not a stream. */
export const streamOf = (answer: Response): Response | CorridorError =>
  answer.body && answer.headers.get('content-type')?.startsWith(EVENT_STREAM)
    ? answer
    : strange('it is not a stream of events')
