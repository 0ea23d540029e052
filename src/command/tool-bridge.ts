/** A longer line is refused and passed over; a tool server takes a sixteenth of it. */
export const LINE_BYTES_MAX = 1_048_576
/** How many messages may wait for their answers; the next is read when one has come. */
const WAITING_MAX = 32
/** How long an answer may take. */
const ANSWER_MS_MAX = 60_000

type Bridge = {
  /** The address of the tool server. */
  readonly url: string
  readonly key: string
  /** What the client writes, a message a line. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends a line to the client. */
  answer(line: string): void
  /** Tells the person who started it. */
  say(line: string): void
}

type Id = string | number | null

type Message = {
  readonly id?: Id
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

/** The revision that client and server settled on by `initialize`; null where they did not. */
type Session = { revision: string | null }

/**
 * Passes messages to a tool server and its answers back, each as soon as it is there, until the
 * input has ended and everything is answered. A message that fails is answered with an error.
 */
export async function bridge(ends: Bridge): Promise<void> {
  const waiting = new Set<Promise<void>>()
  const session: Session = { revision: null }
  for await (const line of linesOf(ends.input)) {
    const passing = passed(ends, session, line).finally(() => waiting.delete(passing))
    waiting.add(passing)
    if (waiting.size >= WAITING_MAX) await Promise.race(waiting)
  }
  await Promise.all(waiting)
}

async function passed(ends: Bridge, session: Session, line: string | null): Promise<void> {
  const refuse = (id: Id, message: string, code = FAILED) =>
    ends.answer(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  if (line === null) return refuse(null, `a line may have at most ${LINE_BYTES_MAX} bytes`)
  const message = parsed(line) as Message | undefined
  if (message === undefined) return refuse(null, 'the line is not valid JSON', UNREADABLE)
  const id = message?.id ?? null
  try {
    for (const answer of await answersOf(ends, headersOf(message, session), line)) {
      session.revision = answer.result?.protocolVersion ?? session.revision
      ends.answer(JSON.stringify(answer))
    }
  } catch (error) {
    const sentence = `${ends.url}: ${(error as Error).message}`
    if (id === null) ends.say(`corridor: ${sentence}`)
    else refuse(id, sentence)
  }
}

/** The code by which the tool server, too, tells faults of HTTP. */
const FAILED = -32_000

/** The code that JSON-RPC has for what is not JSON. */
const UNREADABLE = -32_700

/** What the protocol wants a client to repeat of a message for those who read headers only. */
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

/** A text as a header may hold it. */
const written = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
type Any = any

/** The answers to a message; throws where the service refused it, with its words. */
async function answersOf({ url, key }: Bridge, more: object, body: string): Promise<Any[]> {
  const headers = {
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...more,
  }
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
  const text = await reply.text()
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream')
  const texts = isStream ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data!) : [text]
  const answers = texts.filter(Boolean).map(parsed) as Any[]
  if (reply.ok && !answers.includes(undefined)) return answers
  const fault = answers[0]?.error
  throw new Error(fault?.message ?? fault ?? `this is no tool server: it answered ${reply.status}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NEWLINE = 0x0a

/** The lines of an input but for blank ones, the last without its end; null for one too long. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  let kept: Uint8Array[] = []
  let size = 0
  const line = () => {
    const text = size > LINE_BYTES_MAX ? null : Buffer.concat(kept).toString().trim()
    kept = []
    size = 0
    return text
  }
  const keep = (part: Uint8Array) => {
    size += part.byteLength
    if (size <= LINE_BYTES_MAX) kept.push(part)
    else kept = []
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at))
      from = at + 1
      const text = line()
      if (text !== '') yield text
    }
    keep(chunk.subarray(from))
  }
  const last = line()
  if (last !== '') yield last
}
