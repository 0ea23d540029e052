import createClient from 'openapi-fetch'
import type { Call } from './call.ts'
import { CorridorError } from './corridor-error.ts'
import { exchanged, type Send } from './exchange.ts'
import type { CorridorOptions, RecordingOptions, StreamOptions } from './options.ts'
import { pauseMs, waited } from './patience.ts'
import { streamed, streamOf } from './stream.ts'
import type { StreamEvent } from './stream-event.ts'

const BASE_PATH = '/api/v1'
const DEFAULTS = { timeoutMs: 30_000 as number | null, retries: 2, waitMsMax: 60_000 }
const STREAM_DEFAULTS = { silenceMsMax: 45_000 as number | null }
const KEY_BYTES = 16
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
const HEXADECIMAL = 16

type Position = { readonly offset?: number; readonly until?: string }
type Page = { readonly has_more: boolean; readonly count: number; readonly to_date: string }

/** The common part of all operations: address, key, retries, waits and errors. */
export class Connection {
  readonly #options: Said<CorridorOptions> & typeof DEFAULTS
  readonly #send: Send
  #position = 0

  /** Throws a TypeError for an invalid address or key. */
  constructor(options: CorridorOptions) {
    this.#options = { ...DEFAULTS, ...said(options) }
    const { url, fetch } = this.#options
    const { request } = createClient({
      baseUrl: baseUrlOf(url),
      headers: keyHeaders(options),
      querySerializer: { array: { style: 'form', explode: false } },
      // A redirect would send the header with the key to another host.
      redirect: 'manual',
      ...(fetch && { fetch }),
    })
    this.#send = request as unknown as Send
  }

  /**
   * The greatest `X-Corridor-Position` of the responses so far; 0 before the first. As the
   * `min_position` of a request, it makes any replica include everything recorded or read here
   * before.
   */
  get position(): number {
    return this.#position
  }

  /**
   * Sends a call and returns its response. Rejects with a CorridorError, or with the signal's
   * reason.
   */
  protected async call<Answer>(call: Call, options: RecordingOptions = {}): Promise<Answer> {
    const { retries, waitMsMax, wait = waited, ...rest } = { ...this.#options, ...said(options) }
    const idempotencyKey = call.isKeyed ? (rest.idempotencyKey ?? randomKey()) : null
    const isRepeatable = idempotencyKey !== null || !['POST', 'PATCH'].includes(call.method)
    for (let earlier = 0; ; earlier++) {
      const outcome = await exchanged(this.#send, call, { ...rest, idempotencyKey })
      if (!(outcome instanceof CorridorError)) {
        this.#position = Math.max(this.#position, outcome.position ?? 0)
        return outcome.value as Answer
      }
      const ms = pauseMs({ ...outcome, earlier, isRepeatable }, { retries, waitMsMax })
      if (ms === null) throw outcome
      await wait(ms, rest.signal)
    }
  }

  protected events(
    call: Call,
    options: StreamOptions = {},
  ): AsyncGenerator<StreamEvent, void, void> {
    const terms = { wait: waited, ...STREAM_DEFAULTS, ...this.#options, ...said(options) }
    const open = async (lastEventId: string | null) => {
      const headers = {
        Accept: 'text/event-stream',
        ...(lastEventId !== null && { 'Last-Event-ID': lastEventId }),
      }
      const asked = { ...call, isRaw: true, headers }
      const outcome = await exchanged(this.#send, asked, { ...terms, idempotencyKey: null })
      return outcome instanceof CorridorError ? outcome : streamOf(outcome.value as Response)
    }
    return streamed({ ...terms, open })
  }

  /** All pages from an offset on. They stay in the window of the first page as time passes. */
  protected async *pages<Parameters extends Position, Body extends Page>(
    ask: (parameters: Parameters) => Promise<Body>,
    parameters: Parameters,
  ): AsyncGenerator<Body, void, void> {
    let { offset = 0, until } = parameters
    for (;;) {
      const page = await ask({ ...parameters, offset, ...(until !== undefined && { until }) })
      yield page
      if (!page.has_more || page.count === 0) return
      offset += page.count
      until ??= page.to_date
    }
  }
}

type Said<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> }

/** The options without those that are undefined. */
const said = <Options extends object>(options: Options): Said<Options> =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Said<Options>

function baseUrlOf(url: string | URL): string {
  const { protocol, origin, pathname } = new URL(url)
  if (!['http:', 'https:'].includes(protocol))
    throw new TypeError('url: the address of a service begins with https:// or http://')
  const path = pathname.replace(/\/+$/, '')
  return `${origin}${path.endsWith(BASE_PATH) ? path : path + BASE_PATH}`
}

function keyHeaders({ key, keyHeader }: CorridorOptions): Record<string, string> {
  if (key === undefined) return {}
  if (!VISIBLE_ASCII.test(key))
    throw new TypeError('key: a key is one word of letters, digits and signs, without a space')
  return keyHeader === 'Authorization' ? { Authorization: `Bearer ${key}` } : { 'X-API-Key': key }
}

/** A random string; `crypto.randomUUID` exists only in secure contexts, such as https pages. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(HEXADECIMAL).padStart(2, '0'))
    .join('')
