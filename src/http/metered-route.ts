import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { isReadOnly } from '~/domain/account.ts'
import { READ_ONLY_PREFIX } from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import type { AnswerBasis } from '~/memory/answer-basis.ts'
import type { Generation } from '~/memory/memory.ts'
import { callerOf } from '~/service/access.ts'
import { inScope, type RequestScope } from '~/telemetry/request-scope.ts'
import { credentialOf } from '~/wire/credential.ts'
import { knownParameter, readKnownAt } from '~/wire/known/known.ts'
import { acceptedFormat, type Format, formatParameter, type RowFormat } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import type { OperationNotes } from '~/wire/openapi/operation.ts'
import { mayAskPosition, PositionQuery, positionParameter } from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'
import { SuccessHeaders } from '~/wire/success-headers.ts'
import type { Body } from '~/wire/text/answer-cache.ts'
import type { HotDeps } from './access.ts'
import { listReply } from './file/list-reply.ts'
import type { Handler } from './handler.ts'
import { askedThen, UNKEPT } from './known/known.ts'
import { type Ask, MeteredRequest, type Refusal } from './metered-request.ts'
import type { Route } from './route.ts'

type Question<Q extends TObject, A> = {
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** Says whether the response depends on the tier, and so names it; it does if absent. */
  readonly isTiered?: boolean
  find(ask: Ask<Q>): A
  /** Part of the response for a read-only key; absent if such a key gets nothing. */
  midsOf?(found: A): A
  /** Says whether the route can return an earlier state of knowledge, by `known_at`. */
  readonly isKnowing?: boolean
  /** Result of `find` for a request that need not be read; null for any other. */
  findAgain?(url: string, generation: Generation, freshness: Freshness): FoundAgain<A> | null
}

/** Result, and the data that it depends on. */
type FoundAgain<A> = { readonly found: A; readonly basis: AnswerBasis }

export type MeteredRoute<Q extends TObject, R extends TSchema, A> = Question<Q, A> & {
  readonly path: string
  readonly notes: OperationNotes
  /** The schema that types and describes the response. */
  readonly response: R
  present(found: A, freshness: Freshness): Static<R> & Timed
  /** The JSON of what `present` returns, if there is a shorter way to it. */
  text?(found: A, freshness: Freshness): Body
  /** Rows of a file from the response's entries, if it is a list. */
  readonly list?: List
}

/** A body that states when it was created. */
type Timed = { readonly timestamp: string }

/** A metered read from memory and its description, made of the same schemas. */
export function meteredRoute<Q extends TObject, R extends TSchema, A>(
  deps: HotDeps,
  route: MeteredRoute<Q, R, A>,
): Route {
  const { path, notes, response, present, list, isTiered = true, isKnowing = false } = route
  const query = Type.Object({
    ...route.query.properties,
    ...(isKnowing && knownParameter),
    ...(list && formatParameter),
  }) as TObject as Q
  const errors = [...(notes.errors ?? []), ...(isKnowing ? KNOWING_ERRORS : [])]
  const text = route.text ?? ((found, freshness) => JSON.stringify(present(found, freshness)))
  const success = { status: 200, body: response } as const
  return {
    method: 'GET',
    path,
    operation: {
      ...notes,
      ...{ errors, access: 'key', isMetered: true, isTiered, isPositioned: true, success },
      query: Type.Object({ ...query.properties, ...positionParameter }),
      ...(list && { list }),
    },
    isHot: true,
    handle: hotHandler(deps, { ...route, query, text, list: list ?? null }),
  }
}

/** Errors of requests about an earlier state of knowledge, which query the database. */
const KNOWING_ERRORS = ['not_kept', 'database_unavailable', 'overloaded'] as const

type Answerable<Q extends TObject, A> = Question<Q, A> & {
  readonly list: List | null
  present(found: A, freshness: Freshness): object
  text(found: A, freshness: Freshness): Body
}

type Replier = (
  metered: MeteredRequest,
  request: Request,
  scope: RequestScope,
) => Response | Promise<Response>

/** Responds at once, unless it waits for a budget's share, a position, or the database. */
function hotHandler<Q extends TObject, A>(deps: HotDeps, question: Answerable<Q, A>): Handler {
  const { refusals, guards } = deps
  const { isTiered = true, list, midsOf } = question
  const successHeaders = new SuccessHeaders({ isTiered, varies: list !== null, guards })
  const replyOf: Replier = (metered, request, scope) => {
    const sent = (answer: Body | Filed) => {
      const headers = successHeaders.of(metered.success())
      headers.set(REQUEST_ID_HEADER, scope.id)
      if (isFiled(answer)) return listReply(request, { list: list!, ...answer }, headers)
      return new Response(answer, { headers })
    }
    const failed = (error: unknown) => failureOf(error, { metered, request, scope, guards })
    try {
      const answer = answerOf(deps, question, { metered, request })
      if (typeof answer !== 'function') return sent(answer)
      return inScope(scope, () => answer().then(sent).catch(failed), request)
    } catch (error) {
      return failed(error)
    }
  }
  const served = (metered: MeteredRequest, request: Request, scope: RequestScope) => {
    if (!mayAskPosition(request.url)) return replyOf(metered, request, scope)
    return positionServed(deps, request.url).then(
      () => replyOf(metered, request, scope),
      (error) => failureOf(error, { metered, request, scope, guards }),
    )
  }
  return (request, scope) => {
    const metered = new MeteredRequest(deps, request)
    const begun = metered.begin(midsOf && readOnlyFinder(deps, request))
    if (begun === null) return served(metered, request, scope)
    const later = (refusal: Refusal) => {
      if (!refusal) return served(metered, request, scope)
      metered.nameTo(scope)
      return refusals.reply(refusal, scope.id, () => metered.quotaHeaders())
    }
    return begun instanceof Promise ? begun.then(later) : later(begun)
  }
}

type Failed = {
  readonly metered: MeteredRequest
  readonly request: Request
  readonly scope: RequestScope
  readonly guards: HotDeps['guards']
}

function failureOf(error: unknown, { metered, request, scope, guards }: Failed): Response {
  const reply = () => metered.failed(error, { ...guards, [REQUEST_ID_HEADER]: scope.id })
  const isLogged = !(error instanceof ServiceError) || error.cause !== undefined
  if (!isLogged) scope.code = error.code
  return isLogged ? inScope(scope, reply, request) : reply()
}

/** The `Retry-After` for what should have come within a second. */
const BEHIND_SECONDS = 1

/** Waits for a URL's `min_position`. Throws `replica_behind` if it does not come soon. */
async function positionServed({ memory: { positions } }: HotDeps, url: string): Promise<void> {
  const { min_position: minPosition = 0 } = readQuery(PositionQuery, url)
  if (await positions.awaited(minPosition)) return
  throw new ServiceError(
    'replica_behind',
    `this replica has not come to position ${minPosition}, but to the one in position; retry ` +
      'shortly, or leave min_position out',
    { position: positions.position },
    BEHIND_SECONDS,
  )
}

/** Finder of the caller of a read-only key; none for any other. */
function readOnlyFinder(access: HotDeps, { headers }: Request) {
  const key = credentialOf(headers)
  if (typeof key !== 'string' || !key.startsWith(READ_ONLY_PREFIX)) return undefined
  return (nowMs: number) => callerOf(access, key, nowMs, { origin: headers.get('origin') })
}

/** A response as a file of rows, not yet written. */
type Filed = { readonly body: object; readonly format: RowFormat }

const isFiled = (answer: Body | Filed): answer is Filed =>
  typeof answer === 'object' && 'format' in answer

/**
 * From the cached responses, else from what was found before, else from the query as it is read.
 *
 * Only JSON is cached, under the URL alone, so a URL that requests another format is never cached.
 */
function answerOf<Q extends TObject, A>(
  deps: HotDeps,
  question: Answerable<Q, A>,
  { metered, request }: { metered: MeteredRequest; request: Request },
): Body | Filed | Later {
  const { memory, answers } = deps
  const { query, list, find, findAgain, midsOf, present, text, isKnowing } = question
  const { url } = request
  const freshness = metered.freshness()
  const isOfMids = midsOf !== undefined && isReadOnly(metered.caller.key)
  const accepted = list ? acceptedFormat(request.headers.get('accept')) : 'json'
  if (accepted === 'json' && !isOfMids) {
    const known = answers.find(url, memory.current, freshness)
    if (known !== null) return known
  }
  const mayAskThen = isKnowing === true && namesKnownAt(url)
  const again = accepted === 'json' && !isOfMids && !mayAskThen && findAgain
  const found = again ? again(url, memory.current, freshness) : null
  if (found) return answers.keep(url, text(found.found, freshness), { freshness, ...found })
  const ask = metered.ask(query, freshness)
  const { format = accepted } = list ? (ask.query as { format?: Format }) : {}
  const knownMs = mayAskThen ? readKnownAt(ask.query as { known_at?: string }) : null
  if (knownMs !== null) return () => answerThen(deps, question, { ask, knownMs, format, isOfMids })
  if (isOfMids) return text(midsOf(find(ask)), freshness)
  if (format === 'json') return answers.keep(url, text(find(ask), freshness), ask.view)
  return { body: present(find({ ...ask, url: UNKEPT }), freshness), format }
}

/** A response that has to be waited for. */
type Later = () => Promise<Body | Filed>

/** Reports whether a URL has `known_at`, or a name whose signs are encoded, which may be that. */
const namesKnownAt = (url: string): boolean =>
  url.includes('known_at') || (url.includes('%') && ENCODED_NAME.test(url))

const ENCODED_NAME = /[?&][^=&]*%/

type AskedThen<Q extends TObject> = {
  readonly ask: Ask<Q>
  readonly knownMs: number
  readonly format: Format
  readonly isOfMids: boolean
}

/** A response from an earlier state; it is never cached. */
async function answerThen<Q extends TObject, A>(
  deps: HotDeps,
  { find, present, midsOf }: Answerable<Q, A>,
  { ask, knownMs, format, isOfMids }: AskedThen<Q>,
): Promise<Body | Filed> {
  const asked = { ask, knownMs, freshness: ask.view.freshness, isLive: true }
  const { found, then, presented } = await askedThen(deps, asked, find)
  const body = presented(present(isOfMids ? midsOf!(found) : found, then))
  return format === 'json' ? JSON.stringify(body) : { body, format }
}
