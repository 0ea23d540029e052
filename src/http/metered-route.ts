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
import { type Ask, MeteredRequest, type Refusal } from './metered-request.ts'
import type { Route } from './route.ts'

type Question<Q extends TObject, A> = {
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** Whether the answer depends on the tier, and so names it. */
  readonly isTiered: boolean
  find(ask: Ask<Q>): A
  /** What a read-only key gets of it; absent where such a key gets nothing. */
  midsOf?(found: A): A
  /** What `find` would find, for a question that need not be read; null for any other. */
  findAgain?(url: string, generation: Generation, freshness: Freshness): FoundAgain<A> | null
}

/** What was found, and what it draws on. */
type FoundAgain<A> = { readonly found: A; readonly basis: AnswerBasis }

type MeteredRoute<Q extends TObject, R extends TSchema, A> = Question<Q, A> & {
  readonly path: string
  readonly notes: OperationNotes
  /** The schema that types the answer and describes it. */
  readonly response: R
  present(found: A, freshness: Freshness): Static<R> & Timed
  /** The text of what `present` gives, if there is a shorter way to it. */
  text?(found: A, freshness: Freshness): Body
  /** How the answer's entries become rows of a file, where it is a list. */
  readonly list?: List
}

/** A body that says when it was made. */
type Timed = { readonly timestamp: string }

/** A metered read from memory and its description, made of the same schemas. */
export function meteredRoute<Q extends TObject, R extends TSchema, A>(
  deps: HotDeps,
  route: MeteredRoute<Q, R, A>,
): Route {
  const { path, notes, response, isTiered, present, list } = route
  const asked = list && Type.Object({ ...route.query.properties, ...formatParameter })
  const query = asked ? (asked as TObject as Q) : route.query
  const text = route.text ?? ((found, freshness) => JSON.stringify(present(found, freshness)))
  const success = { status: 200, body: response } as const
  return {
    method: 'GET',
    path,
    operation: {
      ...notes,
      ...{ access: 'key', isMetered: true, isTiered, isPositioned: true, success },
      query: Type.Object({ ...query.properties, ...positionParameter }),
      ...(list && { list }),
    },
    isHot: true,
    handle: hotHandler(deps, { ...route, query, text, list: list ?? null }),
  }
}

type Answerable<Q extends TObject, A> = Question<Q, A> & {
  readonly list: List | null
  present(found: A, freshness: Freshness): object
  text(found: A, freshness: Freshness): Body
}

/** Answers at once, unless it waits for a share of the caller's budget or for a position. */
function hotHandler<Q extends TObject, A>(deps: HotDeps, question: Answerable<Q, A>): Handler {
  const { refusals, guards } = deps
  const { isTiered, list, midsOf } = question
  const successHeaders = new SuccessHeaders({ isTiered, varies: list !== null, guards })
  const replyOf = (metered: MeteredRequest, request: Request, scope: RequestScope): Response => {
    try {
      const answer = answerOf(deps, question, { metered, request })
      const headers = successHeaders.of(metered.success())
      headers.set(REQUEST_ID_HEADER, scope.id)
      if (isFiled(answer)) return listReply(request, { list: list!, ...answer }, headers)
      return new Response(answer, { headers })
    } catch (error) {
      return failureOf(error, { metered, request, scope, guards })
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
  const isToldOf = !(error instanceof ServiceError) || error.cause !== undefined
  if (!isToldOf) scope.code = error.code
  return isToldOf ? inScope(scope, reply, request) : reply()
}

/** How long a caller is asked to wait for what should have come within a second. */
const BEHIND_SECONDS = 1

/** Waits for the position that a URL asks for. Throws `replica_behind` if it does not come soon. */
async function positionServed({ memory: { positions } }: HotDeps, url: string): Promise<void> {
  const { min_position: minPosition = 0 } = readQuery(PositionQuery, url)
  if (await positions.reached(minPosition)) return
  throw new ServiceError(
    'replica_behind',
    `this replica has not come to position ${minPosition}, but to the one in position; retry ` +
      'shortly, or leave min_position out',
    { position: positions.position },
    BEHIND_SECONDS,
  )
}

/** How the caller is found where the key is a read-only one; nothing for any other. */
function readOnlyFinder(access: HotDeps, { headers }: Request) {
  const key = credentialOf(headers)
  if (typeof key !== 'string' || !key.startsWith(READ_ONLY_PREFIX)) return undefined
  return (nowMs: number) => callerOf(access, key, nowMs, { origin: headers.get('origin') })
}

/** An answer as a file of rows, not yet written. */
type Filed = { readonly body: object; readonly format: RowFormat }

const isFiled = (answer: Body | Filed): answer is Filed =>
  typeof answer === 'object' && 'format' in answer

/**
 * From the kept answers, else from what was found before, else from the question as it is read.
 *
 * What is kept is JSON under the URL alone, so a URL that asks for another format is never kept.
 */
function answerOf<Q extends TObject, A>(
  { memory, answers }: HotDeps,
  { query, list, find, findAgain, midsOf, present, text }: Answerable<Q, A>,
  { metered, request }: { metered: MeteredRequest; request: Request },
): Body | Filed {
  const { url } = request
  const freshness = metered.freshness()
  if (midsOf && isReadOnly(metered.caller.key))
    return text(midsOf(find(metered.ask(query, freshness))), freshness)
  const accepted = list ? acceptedFormat(request.headers.get('accept')) : 'json'
  if (accepted === 'json') {
    const known = answers.find(url, memory.current, freshness)
    if (known !== null) return known
    const again = findAgain?.(url, memory.current, freshness)
    if (again) {
      const { found, basis } = again
      return answers.keep(url, text(found, freshness), { freshness, basis })
    }
  }
  const ask = metered.ask(query, freshness)
  const { format = accepted } = list ? (ask.query as { format?: Format }) : {}
  if (format === 'json') return answers.keep(url, text(find(ask), freshness), ask.view)
  return { body: present(find({ ...ask, url: UNKEPT }), freshness), format }
}

/** In place of a URL under which nothing may be remembered. */
const UNKEPT = ''
