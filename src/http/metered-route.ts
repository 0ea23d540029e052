import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { Evidence } from '~/memory/evidence.ts'
import type { Generation } from '~/memory/memory.ts'
import type { OperationNotes } from '~/wire/openapi/operation.ts'
import type { Body } from '~/wire/text/answer-cache.ts'
import { type Ask, type HotDeps, meteredHandler } from './access.ts'
import { hot, type Route } from './route.ts'

type MeteredRoute<Q extends TObject, R extends TSchema, A> = {
  readonly path: string
  readonly notes: OperationNotes
  /** The schema that checks the request and describes it. */
  readonly query: Q
  /** The schema that types the answer and describes it. */
  readonly response: R
  readonly isTiered: boolean
  find(ask: Ask<Q>): A
  /** What `find` would find, for a question that need not be read; null for any other. */
  findAgain?(url: string, generation: Generation, freshness: Freshness): FoundAgain<A> | null
  present(found: A, freshness: Freshness): Static<R> & Timed
  /** The text of what `present` gives, if there is a shorter way to it. */
  text?(found: A, freshness: Freshness): Body
}

/** An answer that was found, and what it depends on. */
type FoundAgain<A> = { readonly found: A; readonly evidence: Evidence }

/** A body with the time at which it was made. */
type Timed = { readonly timestamp: string }

/** A metered read and its description, made of one set of schemas. */
export function meteredRoute<Q extends TObject, R extends TSchema, A>(
  deps: HotDeps,
  route: MeteredRoute<Q, R, A>,
): Route {
  const { path, notes, query, response, isTiered, find, findAgain, present } = route
  const text = route.text ?? ((found, freshness) => JSON.stringify(present(found, freshness)))
  const write = (ask: Ask<Q>) => text(find(ask), ask.view.freshness)
  const rewrite = (url: string, generation: Generation, freshness: Freshness) => {
    const again = findAgain?.(url, generation, freshness)
    return again ? { body: text(again.found, freshness), evidence: again.evidence } : null
  }
  const success = { status: 200, body: response } as const
  return {
    method: 'GET',
    path,
    operation: { ...notes, query, access: 'key', isMetered: true, isTiered, success },
    ...hot(meteredHandler(deps, { query, isTiered, write, rewrite })),
  }
}
