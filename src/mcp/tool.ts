import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Caller } from '~/domain/account.ts'
import type { View } from '~/memory/view.ts'
import type { HistoryDeps } from '~/service/history.ts'
import type { SeriesDeps } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { readKnownAt } from '~/wire/known/known.ts'
import { linksOf, type Places } from './answer/links.ts'
import { knownField } from './argument/fields.ts'
import { type Reader, readArguments } from './arguments.ts'
import { paged } from './page.ts'

/** Data that tools read of the past; `store` has what was known at some time, or all. */
type Past = HistoryDeps & SeriesDeps & SnapshotDeps

/** One call of a tool: its arguments as given, its caller, and what the caller may see. */
type Ask = {
  readonly given: unknown
  readonly view: View
  readonly by: By
  /** The past as it was known at the time of the view; absent for now. */
  readonly then?: Past
}

export type By = { readonly caller: Caller; readonly home: string }

/** A tool that an agent can call. */
type Definition<S extends TObject> = Reader<S> & {
  readonly name: string
  readonly title: string
  /** A text for a model that has to choose: the tool's result, its units, and what it is not. */
  readonly description: string
  /** The scope that a connected application needs, besides that of the tools. */
  readonly scope?: string
  /** Says whether a call costs no unit, as with REST. */
  readonly isFree?: boolean
  /** Says whether hosts may show a response by the card. */
  readonly isCard?: boolean
  /** Effect of a call; none if absent. */
  readonly effect?: 'creates' | 'deletes'
  /** Says whether it can return an earlier state of knowledge. */
  readonly isKnowing?: boolean
  /** Page and file of the result for such arguments. */
  links?(args: Static<S>, view: View): Places
  /** The body of REST, or a shorter one; throws the errors of REST. */
  answer(
    ask: By & Pick<Ask, 'view' | 'then'> & { readonly args: Static<S> },
  ): object | Promise<object>
}

/** A tool among others, whatever its arguments are. */
export type Tool = Omit<Definition<TObject>, 'rules' | 'said' | 'links' | 'answer'> & {
  /** The response to arguments that are not checked yet. */
  answer(ask: Ask): object | Promise<object>
}

export function tool<S extends TObject>(definition: Definition<S>): Tool {
  const input = definition.isKnowing
    ? (Type.Object({ ...definition.input.properties, ...knownField }) as TObject as S)
    : definition.input
  return {
    ...definition,
    input,
    answer({ given, view, by, then }) {
      const said: string[] = []
      const args = readArguments({ ...definition, input, said }, given, view)
      const body = definition.answer({ args, view, ...by, ...(then && { then }) })
      const places = definition.links?.(args, view)
      const whole = (found: object) => ({
        ...(said.length === 0 ? found : paged(found, {}, ...said)),
        ...(places && { links: linksOf(by.home, places) }),
      })
      return body instanceof Promise ? body.then(whole) : whole(body)
    },
  }
}

const KnownInput = Type.Object(knownField)

/** The requested time of a state of knowledge; null for now. Throws a 400. */
export function knownMsIn({ isKnowing }: Tool, given: unknown, view: View): number | null {
  const text = (given as { known_at?: unknown } | null | undefined)?.known_at ?? null
  if (!isKnowing || text === null) return null
  return readKnownAt(readArguments({ input: KnownInput }, { known_at: text }, view))
}
