import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { OperationNotes } from '~/wire/operation.ts'
import { type Ask, type HotDeps, meteredHandler } from './access.ts'
import { hot, type Route } from './route.ts'

type MeteredRoute<Q extends TObject, R extends TSchema> = {
  readonly path: string
  readonly notes: OperationNotes
  /** Checks the request and describes it. */
  readonly query: Q
  /** Types the answer and describes it. */
  readonly response: R
  readonly isTiered: boolean
  answer(ask: Ask<Q>): Static<R> & Timed
  /** The text of the same, where there is a shorter way to it. */
  write?(ask: Ask<Q>): string
}

/** A body that says when it was made. */
type Timed = { readonly timestamp: string }

/** A metered read and its description, made of the same schemas. */
export function meteredRoute<Q extends TObject, R extends TSchema>(
  deps: HotDeps,
  { path, notes, response, answer, ...question }: MeteredRoute<Q, R>,
): Route {
  const { query, isTiered } = question
  const write = question.write ?? ((ask: Ask<Q>) => JSON.stringify(answer(ask)))
  const success = { status: 200, body: response } as const
  return {
    method: 'GET',
    path,
    operation: { ...notes, query, access: 'key', isMetered: true, isTiered, success },
    ...hot(meteredHandler(deps, { query, isTiered, write })),
  }
}
