import { ERROR_STATUS } from '~/wire/errors.ts'
import { midOf, PROVIDER, SOURCE, seqOf } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: the checks below are what says what a body holds
export type Body = any

/** Response to one request. */
export type Answer = {
  /** 0 without a response: the connection failed, or it took too long. */
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  /** The replica that responded, and its run. */
  readonly by: string
  /** By the machine's steady clock. */
  readonly askedAt: number
  readonly tookMs: number
  /** The service's clock before and after. */
  readonly fromMs: number
  readonly toMs: number
}

const NO_ANSWER = { status: 0, headers: new Headers(), body: null, by: 'none' }

type Asking = {
  readonly origin: string
  readonly clock: { now(): number }
  readonly key: string
  readonly waitMs: number
  readonly body?: unknown
  /** POST if there is a body, by default. */
  readonly method?: string
  readonly headers?: Record<string, string>
  /** The run of a replica, by its name. */
  readonly lifeOf: (name: string) => string
}

/** Sends one request. Never throws. */
export async function ask(path: string, asking: Asking): Promise<Answer> {
  const { origin, clock, key, waitMs, body, headers, lifeOf } = asking
  const { method = body === undefined ? 'GET' : 'POST' } = asking
  const askedAt = performance.now()
  const fromMs = clock.now()
  const init: RequestInit = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const said = await fetch(`${origin}${path}`, {
    ...init,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(waitMs),
  }).then(
    async (response) => {
      const text = await response.text()
      const by = lifeOf(response.headers.get('x-replica') ?? '')
      return { status: response.status, headers: response.headers, body: parsed(text), by }
    },
    () => NO_ANSWER,
  )
  return { ...said, askedAt, tookMs: performance.now() - askedAt, fromMs, toMs: clock.now() }
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Error codes that a balancer may return by itself. */
const BALANCER_STATUS: Readonly<Record<string, number>> = { bad_gateway: 502 }

/** Error in the form of an error, or null. */
export function errorFault({ status, headers, body }: Answer): string | null {
  if (typeof body?.error !== 'string' || typeof body.code !== 'string')
    return `${status} without an error and its code`
  const known: Readonly<Record<string, number>> = { ...ERROR_STATUS, ...BALANCER_STATUS }
  if (known[body.code] !== status) return `${status} with the code ${body.code}`
  if ((status === 503 || status === 429) && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    return `${status} without Retry-After`
  return null
}

const HOUR_MS = 3_600_000
const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** Error in the tier, the cutoff or the time of a response. */
export function tierFault(answer: Answer, tier: 'hourly' | 'realtime'): string | null {
  const { body, headers, fromMs, toMs } = answer
  if (body?.data_freshness !== tier) return `served as ${body?.data_freshness}, not as ${tier}`
  if (headers.get('x-data-freshness') !== tier) return 'X-Data-Freshness says another tier'
  const saidMs = Date.parse(body.timestamp)
  const wasTurnedBack = toMs < fromMs
  if (!wasTurnedBack && !(saidMs >= fromMs && saidMs <= toMs))
    return `stated the time ${body.timestamp}`
  if (tier === 'realtime') return body.as_of === undefined ? null : 'realtime with as_of'
  return Date.parse(body.as_of) === hourOf(saidMs)
    ? null
    : `at ${body.timestamp} as_of ${body.as_of}`
}

/** The quote that a response shows as the best of its corridor. */
export type Shown = { readonly seq: number | null; readonly atMs: number | null }

type Reading = {
  path(corridor: { from: string; to: string }): string
  mid(body: Body): [rate: unknown, source: unknown]
  best(body: Body): { rate: number; provider_id: string; last_updated?: string } | null
}

/** Requests for live data whose responses hold the best rate of a corridor and its mid. */
export const READINGS: readonly Reading[] = [
  {
    path: ({ from, to }) => `/fetch-one?from=${from}&to=${to}`,
    mid: (body) => [body.mid, body.source],
    best: (body) => body.provider_best,
  },
  {
    path: ({ from, to }) => `/rates?from=${from}&to=${to}`,
    mid: (body) => [body.mid_rate, body.mid_source],
    best: (body) => body.providers?.[0] ?? null,
  },
  {
    path: ({ from, to }) => `/convert?from=${from}&to=${to}&amount=100`,
    mid: (body) => [body.mid?.rate, body.mid?.source],
    best: (body) => body.best,
  },
]

/** Error of the mid, or null. */
export function midFault(corridor: string, [rate, source]: readonly unknown[]): string | null {
  const wanted = midOf(corridor)
  const isRight = typeof rate === 'number' && Math.abs(rate / wanted - 1) < 1e-9
  return isRight && source === SOURCE ? null : `${corridor} has the mid ${rate} of ${source}`
}

/** The best quote in the response, or a sentence if it is not one of ours. */
export function shownOf(best: ReturnType<Reading['best']>): Shown | string {
  if (best?.provider_id !== PROVIDER) return `the best quote is ${JSON.stringify(best)}`
  const { rate, last_updated: at } = best
  return { seq: seqOf(rate), atMs: at === undefined ? null : Date.parse(at) }
}
