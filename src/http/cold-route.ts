import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { ErrorCode } from '~/domain/errors.ts'
import { knownParameter, readKnownAt } from '~/wire/known/known.ts'
import { type Format, formatParameter } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import type { OperationNotes } from '~/wire/openapi/operation.ts'
import type { AccessDeps } from './access.ts'
import { type Answer, answerReply } from './answer.ts'
import type { Fetch } from './handler.ts'
import { askedThen } from './known/known.ts'
import type { KnownDeps, KnownPastDeps, PastDeps } from './known/past.ts'
import { type Ask, MeteredRequest } from './metered-request.ts'
import type { Route } from './route.ts'

export type ColdDeps = AccessDeps & KnownDeps & { readonly past: PastDeps }

type ColdRoute<Q extends TObject, R extends TSchema> = {
  readonly path: string
  readonly notes: OperationNotes
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** The schema that types and describes the response. */
  readonly response: R
  /** Rows of a file from the response's entries, if it is a list. */
  readonly list?: List
  /** Says whether it asks about one corridor, not about a currency. */
  readonly isOfCorridor?: boolean
  /** Errors besides those of all such routes. */
  readonly errors?: readonly ErrorCode[]
  answer(ask: Ask<Q>, past: PastDeps): Promise<Answer & { readonly body: Static<R> }>
}

type KnownBody = { readonly known_at: string; readonly as_of?: string }

/** A route that can also return an earlier state of knowledge. */
type KnowingRoute<Q extends TObject, R extends TSchema> = Omit<ColdRoute<Q, R>, 'answer'> & {
  /** Says whether it also asks about the present. */
  readonly isLive?: boolean
  answer(ask: Ask<Q>, past: KnownPastDeps): Promise<Answer & { readonly body: Static<R> }>
}

/** A cold route with `known_at`. */
export function knowingRoute<Q extends TObject, R extends TSchema>(
  deps: ColdDeps,
  { isLive = false, answer, ...route }: KnowingRoute<Q, R>,
): Route {
  const known = async (ask: Ask<Q>, knownMs: number) => {
    const asked = { ask, knownMs, freshness: ask.view.freshness, isLive }
    const { found, presented } = await askedThen(deps, asked, answer)
    const body = presented(found.body) as Static<R> & KnownBody
    const basis = found.basis && { ...found.basis, known_at: body.known_at }
    const headers = found.headers && {
      ...found.headers,
      ...(body.as_of !== undefined && { 'x-as-of': body.as_of }),
    }
    return { ...found, body, ...(basis && { basis }), ...(headers && { headers }) }
  }
  const query = Type.Object({ ...route.query.properties, ...knownParameter }) as TObject as Q
  return coldRoute(deps, {
    ...route,
    query,
    errors: ['not_kept'],
    answer(ask, past) {
      const knownMs = readKnownAt(ask.query as { known_at?: string })
      return knownMs === null ? answer(ask, past) : known(ask, knownMs)
    },
  })
}

/** A metered route about a corridor's past and its description, built from one set of schemas. */
export function coldRoute<Q extends TObject, R extends TSchema>(
  deps: ColdDeps,
  { path, notes, query: own, response, list, answer, ...more }: ColdRoute<Q, R>,
): Route {
  const { isOfCorridor = true, errors = [] } = more
  const query = list ? Type.Object({ ...own.properties, ...formatParameter }) : own
  return {
    method: 'GET',
    path,
    operation: {
      ...notes,
      errors: [
        'unsupported_currency',
        ...(isOfCorridor ? (['same_currency'] as const) : []),
        ...errors,
        'database_unavailable',
        'overloaded',
      ],
      query,
      access: 'key',
      isMetered: true,
      isTiered: true,
      isTagged: true,
      success: { status: 200, body: response },
      ...(list && { list }),
    },
    handle: coldHandler(deps, { query: query as Q, list: list ?? null, answer }),
  }
}

type ColdQuestion<Q extends TObject> = {
  readonly query: Q
  readonly list: List | null
  answer(ask: Ask<Q>, past: PastDeps): Promise<Answer>
}

/**
 * Handles a metered read that has to wait for the database, always of a tier; responds with 304 to
 * a caller that already has the response, which is a success too and costs its unit.
 */
function coldHandler<Q extends TObject>(
  deps: ColdDeps,
  { query, list, answer }: ColdQuestion<Q>,
): Fetch {
  return async (request) => {
    const metered = new MeteredRequest(deps, request)
    const refusal = await metered.begin()
    if (refusal) return metered.failed(refusal)
    try {
      const ask = metered.ask(query, metered.freshness())
      const { format } = ask.query as { format?: Format }
      const asked = { answer: await answer(ask, deps.past), list, format }
      return answerReply(request, asked, metered.tieredHeaders())
    } catch (error) {
      return metered.failed(error)
    }
  }
}
