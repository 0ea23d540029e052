import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { HeldSeriesDeps } from '~/service/held-series.ts'
import type { HistoryDeps } from '~/service/history.ts'
import type { FeedAnswerStore } from '~/service/references.ts'
import type { SeriesDeps } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { type Format, formatParameter } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import type { OperationNotes } from '~/wire/openapi/operation.ts'
import type { AccessDeps } from './access.ts'
import { type Answer, answerReply } from './answer.ts'
import type { Fetch } from './handler.ts'
import { type Ask, MeteredRequest } from './metered-request.ts'
import type { Route } from './route.ts'

/** What the routes about the past need. */
export type PastDeps = HistoryDeps &
  SeriesDeps &
  HeldSeriesDeps &
  SnapshotDeps & { readonly store: FeedAnswerStore }

export type ColdDeps = AccessDeps & { readonly past: PastDeps }

type ColdRoute<Q extends TObject, R extends TSchema> = {
  readonly path: string
  readonly notes: OperationNotes
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** The schema that types the answer and describes it. */
  readonly response: R
  /** How the answer's entries become rows of a file, where it is a list. */
  readonly list?: List
  /** Whether it asks about one corridor, not about a currency. */
  readonly isOfCorridor?: boolean
  answer(ask: Ask<Q>): Promise<Answer & { readonly body: Static<R> }>
}

/** A metered question about a corridor's past and its description, made of one set of schemas. */
export function coldRoute<Q extends TObject, R extends TSchema>(
  deps: AccessDeps,
  { path, notes, query: own, response, list, isOfCorridor = true, answer }: ColdRoute<Q, R>,
): Route {
  const query = list ? Type.Object({ ...own.properties, ...formatParameter }) : own
  return {
    method: 'GET',
    path,
    operation: {
      ...notes,
      errors: [
        'unsupported_currency',
        ...(isOfCorridor ? (['same_currency'] as const) : []),
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
  answer(ask: Ask<Q>): Promise<Answer>
}

/**
 * Answers a metered read that has to wait for the database, always of a tier; and with 304 a caller
 * who already has the answer, which is a success too and costs its unit.
 */
function coldHandler<Q extends TObject>(
  deps: AccessDeps,
  { query, list, answer }: ColdQuestion<Q>,
): Fetch {
  return async (request) => {
    const metered = new MeteredRequest(deps, request)
    const refusal = await metered.begin()
    if (refusal) return metered.failed(refusal)
    try {
      const ask = metered.ask(query, metered.freshness())
      const { format } = ask.query as { format?: Format }
      const asked = { answer: await answer(ask), list, format }
      return answerReply(request, asked, metered.tieredHeaders())
    } catch (error) {
      return metered.failed(error)
    }
  }
}
