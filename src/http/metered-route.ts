import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import type { AnswerBasis } from '~/memory/answer-basis.ts'
import type { Generation } from '~/memory/memory.ts'
import { inScope, type RequestScope } from '~/telemetry/request-scope.ts'
import type { OperationNotes } from '~/wire/openapi/operation.ts'
import { SuccessHeaders } from '~/wire/success-headers.ts'
import type { Body } from '~/wire/text/answer-cache.ts'
import type { HotDeps } from './access.ts'
import type { Handler } from './handler.ts'
import { type Ask, MeteredRequest, type Refusal } from './metered-request.ts'
import type { Route } from './route.ts'

type Question<Q extends TObject, A> = {
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** Whether the answer depends on the tier, and so names it. */
  readonly isTiered: boolean
  find(ask: Ask<Q>): A
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
}

/** A body that says when it was made. */
type Timed = { readonly timestamp: string }

/** A metered read from memory and its description, made of the same schemas. */
export function meteredRoute<Q extends TObject, R extends TSchema, A>(
  deps: HotDeps,
  route: MeteredRoute<Q, R, A>,
): Route {
  const { path, notes, query, response, isTiered, present } = route
  const text = route.text ?? ((found, freshness) => JSON.stringify(present(found, freshness)))
  const success = { status: 200, body: response } as const
  return {
    method: 'GET',
    path,
    operation: { ...notes, query, access: 'key', isMetered: true, isTiered, success },
    isHot: true,
    handle: hotHandler(deps, { ...route, text }),
  }
}

type Answerable<Q extends TObject, A> = Question<Q, A> & {
  text(found: A, freshness: Freshness): Body
}

/** Answers at once, unless it waits for a share of the caller's budget. */
function hotHandler<Q extends TObject, A>(deps: HotDeps, question: Answerable<Q, A>): Handler {
  const { refusals, guards } = deps
  const successHeaders = new SuccessHeaders({ isTiered: question.isTiered, guards })
  const replyOf = (metered: MeteredRequest, request: Request, scope: RequestScope): Response => {
    try {
      const body = bodyOf(deps, question, { metered, url: request.url })
      const headers = successHeaders.of(metered.success())
      headers.set(REQUEST_ID_HEADER, scope.id)
      return new Response(body, { headers })
    } catch (error) {
      const reply = () => metered.failed(error, { ...guards, [REQUEST_ID_HEADER]: scope.id })
      const isToldOf = !(error instanceof ServiceError) || error.cause !== undefined
      if (!isToldOf) scope.code = error.code
      return isToldOf ? inScope(scope, reply, request) : reply()
    }
  }
  return (request, scope) => {
    const metered = new MeteredRequest(deps, request)
    const begun = metered.begin()
    if (begun === null) return replyOf(metered, request, scope)
    const later = (refusal: Refusal) =>
      refusal
        ? refusals.reply(refusal, scope.id, () => metered.quotaHeaders())
        : replyOf(metered, request, scope)
    return begun instanceof Promise ? begun.then(later) : later(begun)
  }
}

/** From the kept answers, else from what was found before, else from the question as it is read. */
function bodyOf<Q extends TObject, A>(
  { memory, answers }: HotDeps,
  { query, find, findAgain, text }: Answerable<Q, A>,
  { metered, url }: { metered: MeteredRequest; url: string },
): Body {
  const freshness = metered.freshness()
  const known = answers.find(url, memory.current, freshness)
  if (known !== null) return known
  const again = findAgain?.(url, memory.current, freshness)
  if (again) {
    const { found, basis } = again
    return answers.keep(url, text(found, freshness), { freshness, basis })
  }
  const ask = metered.ask(query, freshness)
  return answers.keep(url, text(find(ask), freshness), ask.view)
}
