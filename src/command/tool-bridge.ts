import { LINE_BYTES_MAX, linesOf } from './lines.ts'

/** The maximum number of messages that may wait for their responses at the same time. */
const WAITING_MAX = 32
/** The longest time for which nothing may come before a response, or while it is a stream. */
const ANSWER_MS_MAX = 60_000

type Bridge = {
  readonly url: string
  readonly key: string
  /** Messages of the client, one a line. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends a line to the client. */
  answer(line: string): void
  /** Writes a line for the person who started it. */
  say(line: string): void
}

type Id = string | number | null

type Message = {
  readonly id?: Id
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly requestId?: unknown
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

type Session = {
  /** The revision that client and server settled on by `initialize`; null if they did not. */
  revision: string | null
  /** Ends of the open subscriptions, by the id of their message. */
  readonly subscriptions: Map<unknown, AbortController>
  readonly following: Set<Promise<void>>
}

const SUBSCRIBE = 'subscriptions/listen'
const CANCEL = 'notifications/cancelled'

/**
 * Passes messages to an MCP server and its responses back, each as soon as it is there, until the
 * input has ended and every message has its response; subscriptions end with the input. A message
 * that fails gets an error as its response.
 */
export async function bridge(ends: Bridge): Promise<void> {
  const waiting = new Set<Promise<void>>()
  const session: Session = { revision: null, subscriptions: new Map(), following: new Set() }
  for await (const line of linesOf(ends.input)) {
    const passing = passed(ends, session, line).finally(() => waiting.delete(passing))
    waiting.add(passing)
    if (waiting.size >= WAITING_MAX) await Promise.race(waiting)
  }
  await Promise.all(waiting)
  for (const subscription of session.subscriptions.values()) subscription.abort()
  await Promise.all(session.following)
}

async function passed(ends: Bridge, session: Session, line: string | null): Promise<void> {
  if (line === null) return refuse(ends, null, `a line may have at most ${LINE_BYTES_MAX} bytes`)
  const message = parsed(line) as Message | null | undefined
  if (message === undefined) return refuse(ends, null, 'the line is not valid JSON', UNREADABLE)
  if (message === null || typeof message !== 'object')
    return refuse(ends, null, 'the line is not a message', INVALID)
  const id = message.id ?? null
  const isSubscription = message.method === SUBSCRIBE
  if (message.method === CANCEL) {
    const subscription = session.subscriptions.get(message.params?.requestId)
    if (subscription) return subscription.abort()
  }
  const ending = new AbortController()
  if (isSubscription) session.subscriptions.set(id, ending)
  const following = exchange(ends, session, { line, message, ending })
    .catch((error: Error) => {
      if (ending.signal.aborted) return
      const sentence = `${ends.url}: ${error.message}`
      if (id === null) ends.say(`corridor: ${sentence}`)
      else refuse(ends, id, sentence)
    })
    .finally(() => {
      session.following.delete(following)
      if (isSubscription) session.subscriptions.delete(id)
    })
  session.following.add(following)
  if (!isSubscription) await following
}

const refuse = ({ answer }: Bridge, id: Id, message: string, code = FAILED): void =>
  answer(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))

type Passing = {
  readonly line: string
  readonly message: Message
  readonly ending: AbortController
}

/** Sends a message and passes on its responses; throws if the service refused it. */
async function exchange(ends: Bridge, session: Session, passing: Passing): Promise<void> {
  const { message, line, ending } = passing
  const headers = headersOf(message, session)
  let isAnswered = false
  for await (const answer of answersOf(ends, { headers, body: line, signal: ending.signal })) {
    session.revision = answer.result?.protocolVersion ?? session.revision
    isAnswered ||= answer.id === message.id
    ends.answer(JSON.stringify(answer))
  }
  if (message.method === SUBSCRIBE && !isAnswered) throw new Error(LOST)
}

const LOST = 'the subscription was lost; ask for it again'

/** The code by which the MCP server, too, reports HTTP errors. */
const FAILED = -32_000

/** The JSON-RPC code for a message that is not JSON. */
const UNREADABLE = -32_700

/** The JSON-RPC code for JSON that is not a message. */
const INVALID = -32_600

/** Headers in which the protocol repeats parts of a message for proxies. */
function headersOf({ method, params }: Message, { revision }: Session): Record<string, string> {
  const named = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (typeof named !== 'string')
    return revision === null ? {} : { 'mcp-protocol-version': revision }
  const subject = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': written(named),
    'mcp-method': written(String(method)),
    ...(typeof subject === 'string' && { 'mcp-name': written(subject) }),
  }
}

/** A string as a header may hold it. */
const written = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
type Any = any

type Sending = { readonly headers: object; readonly body: string; readonly signal: AbortSignal }

/**
 * The responses to a message as they come; throws the service's words if it refused the message.
 */
async function* answersOf(
  { url, key }: Bridge,
  { headers: more, body, signal: ended }: Sending,
): AsyncGenerator<Any, void, void> {
  const headers = {
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...more,
  }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(TOO_LATE)), ANSWER_MS_MAX)
  try {
    const signal = AbortSignal.any([late.signal, ended])
    const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
    const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream')
    if (reply.ok && isStream && reply.body)
      return yield* eventsOf(received(reply.body, () => timer.refresh()))
    yield* wholeAnswer(reply, await reply.text())
  } finally {
    clearTimeout(timer)
  }
}

const TOO_LATE = `nothing came for ${ANSWER_MS_MAX} ms`

async function* received(body: ReadableStream<Uint8Array>, onBytes: () => void) {
  for await (const piece of body) {
    onBytes()
    yield piece
  }
}

function wholeAnswer({ ok, status }: Response, text: string): Any[] {
  const answer = text === '' ? null : (parsed(text) as Any)
  if (ok && answer !== undefined) return answer === null ? [] : [answer]
  const fault = answer?.error
  throw new Error(fault?.message ?? fault ?? `this is not a tool server: it returned ${status}`)
}

/** The longest event of a stream, many times that of any tool. */
const EVENT_BYTES_MAX = 64 * LINE_BYTES_MAX

/** Yields the data of each event of a stream as it comes. Throws for one that is too long. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Any, void, void> {
  for await (const line of linesOf(body, EVENT_BYTES_MAX)) {
    if (line === null) throw new Error(`an event has more than ${EVENT_BYTES_MAX} bytes`)
    const answer = line.startsWith('data:') && parsed(line.slice('data:'.length))
    if (answer) yield answer
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
