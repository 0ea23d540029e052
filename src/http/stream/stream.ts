import type { Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { EVERYWHERE, type Subscription } from '~/domain/live/subscription.ts'
import { MeteredRequest } from '~/http/metered-request.ts'
import type { Headers } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { takenSlot } from '~/service/stream/slots.ts'
import { supportedSubscription } from '~/service/stream/supported.ts'
import { credentialOf } from '~/wire/credential.ts'
import { readQuery } from '~/wire/query.ts'
import { NO_STORE } from '~/wire/quota.ts'
import { streamBodies } from '~/wire/stream/events.ts'
import { askedCorridors, StreamHeaders, StreamQuery, shownTokens } from '~/wire/stream/request.ts'
import { OpenStream } from './open-stream.ts'
import type { StreamDeps } from './stream-deps.ts'
import { streamTokenRoute } from './token.ts'

export const streamRoutes = (deps: StreamDeps): Route[] => [
  {
    method: 'GET',
    path: '/stream',
    isEndless: true,
    operation: {
      id: 'stream',
      tag: 'Rates',
      summary: 'Prices as they change, as server-sent events',
      description:
        'An endless response in the format of https://html.spec.whatwg.org/#server-sent-events: ' +
        'first `hello`, then `quote`, `best`, `mid`, `gone` and `catalogue` as things change. ' +
        'The realtime tier gets each change at once, the hourly tier at the top of the hour. A ' +
        'new connection with `Last-Event-ID`, to any replica, continues after that id; if the id ' +
        'is no longer retained, `reset` says what to request. A comment is sent every 15 ' +
        'seconds. The stream ends with `slow` if it is not read, and with `ended` if the key is ' +
        'revoked or the plan changes. Only connecting costs a unit.',
      errors: [
        ...(['unsupported_currency', 'same_currency', 'enterprise_only', 'invalid_token'] as const),
        ...(['too_many_streams', 'streams_unavailable', 'database_unavailable'] as const),
      ],
      query: StreamQuery,
      headers: StreamHeaders,
      ...{ access: 'key', takesToken: true, isMetered: true, isTiered: true, events: streamBodies },
      success: { status: 200, body: streamBodies.hello },
      mayCarry: ['X-Accel-Buffering'],
    },
    handle: streamHandler(deps),
  },
  streamTokenRoute(deps),
]

function streamHandler(deps: StreamDeps): Route['handle'] {
  return async (request) => {
    const metered = new MeteredRequest(deps, request)
    const tokens = shownTokens(request.url)
    try {
      const refusal = await metered.begin(
        tokens.length === 0 ? undefined : (nowMs) => bearerOf(deps, { request, tokens }, nowMs),
      )
      if (refusal) return metered.failed(refusal)
      const body = await opened(deps, request, metered.caller)
      const headers = { ...metered.tieredHeaders(), ...EVENT_STREAM }
      return new Response(body, { headers })
    } catch (error) {
      return metered.failed(error)
    }
  }
}

const EVENT_STREAM: Headers = {
  'content-type': 'text/event-stream',
  'cache-control': NO_STORE,
  'x-accel-buffering': 'no',
}

/** Two credentials, which might belong to different accounts. */
const TOKEN_AND_KEY = new ServiceError(
  'invalid_token',
  'the request has more than one token, or a token and a key; send only one',
)

type Shown = { readonly request: Request; readonly tokens: readonly string[] }

/** The caller who shows a token in the URL. */
async function bearerOf(
  { memory, streams }: StreamDeps,
  { request, tokens }: Shown,
  nowMs: number,
): Promise<Caller | ServiceError> {
  if (tokens.length > 1 || credentialOf(request.headers)) return TOKEN_AND_KEY
  return streams.tokens.callerOf(memory.current.keys, tokens[0]!, nowMs)
}

/** The body of a stream, which holds a stream slot until it is over. */
async function opened(deps: StreamDeps, request: Request, caller: Caller): Promise<ReadableStream> {
  const { hub, slots, open, patience } = deps.streams
  const subscription = subscriptionOf(deps, request.url, caller)
  const slot = await takenSlot(deps.streams, caller.account)
  const lastEventId = request.headers.get('last-event-id') || null
  const { tier } = caller
  const stream = new OpenStream({
    caller,
    begin(own) {
      patience.hold(request)
      open.add(own)
      return hub.open({ tier, subscription, lastEventId, sink: own })
    },
    over(own, isEnding) {
      open.remove(own)
      slots.free(slot)
      if (isEnding) patience.release(request)
    },
  })
  return stream.body
}

function subscriptionOf({ memory }: StreamDeps, url: string, { tier }: Caller): Subscription {
  const corridors = askedCorridors(readQuery(StreamQuery, url))
  const { catalogue } = memory.current
  if (corridors) return supportedSubscription(catalogue, corridors)
  if (tier === 'realtime') return EVERYWHERE
  throw new ServiceError(
    'enterprise_only',
    '* needs a key of the enterprise plan; name up to 50 corridors, or move to that plan',
  )
}
