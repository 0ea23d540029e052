import type { TObject } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { AccessDeps } from '~/http/access.ts'
import type { Ask } from '~/http/metered-request.ts'
import type { View } from '~/memory/view.ts'
import { knownAnswer } from '~/service/known/known.ts'
import { presentKnown } from '~/wire/known/known.ts'
import type { KnownDeps, KnownPastDeps } from './past.ts'

type Asked<Q extends TObject> = {
  readonly ask: Ask<Q>
  readonly knownMs: number
  readonly freshness: Freshness
  /** Says whether the response is about the present of that time. */
  readonly isLive: boolean
}

/** Finds the result of a request in an earlier state of knowledge, and presents it. */
export async function askedThen<Q extends TObject, A>(
  { known, ageLimits }: KnownDeps & Pick<AccessDeps, 'ageLimits'>,
  { ask, knownMs, freshness, isLive }: Asked<Q>,
  find: (ask: Ask<Q>, past: KnownPastDeps) => A | Promise<A>,
) {
  const question = { knownMs, freshness, limits: ageLimits, isLive }
  const found = await knownAnswer(known, question, async (view: View, past) => {
    const answer = await find({ ...ask, view, url: UNKEPT, knownMs }, past)
    return { answer, freshness: view.freshness }
  })
  const { answer, freshness: then } = found.answer
  return {
    found: answer,
    /** The freshness of that time. */
    then,
    presented: <B extends object>(body: B) => presentKnown(body, found, freshness),
  }
}

/** Replaces a URL under which nothing may be cached. */
export const UNKEPT = ''
