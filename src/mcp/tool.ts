import type { Static, TObject } from '@sinclair/typebox'
import type { Caller } from '~/domain/account.ts'
import type { View } from '~/memory/view.ts'
import { linksOf, type Places } from './answer/links.ts'
import { type Reader, readArguments } from './arguments.ts'
import { paged } from './page.ts'

/** One call of a tool: its arguments as given, its caller, and what the caller may see. */
type Ask = { readonly given: unknown; readonly view: View; readonly by: By }

/** The caller, and the address that the service is called at. */
type By = { readonly caller: Caller; readonly home: string }

/** A question that an agent can ask. */
type Definition<S extends TObject> = Reader<S> & {
  readonly name: string
  readonly title: string
  /**
   * A text for a model that has to choose: what the tool answers, in which units, and what it is
   * not.
   */
  readonly description: string
  /** The scope that a connected application needs, besides that of the tools. */
  readonly scope?: string
  /** Whether a call costs no unit, as with REST. */
  readonly isFree?: boolean
  /** Whether hosts may show an answer by the card. */
  readonly isCard?: boolean
  /** What a call changes; nothing if absent. */
  readonly effect?: 'creates' | 'deletes'
  /** Where a person finds what the answer to such arguments holds. */
  links?(args: Static<S>, view: View): Places
  /** The body that REST would answer with, or a shorter one; throws what REST would. */
  answer(ask: By & { readonly args: Static<S>; readonly view: View }): object | Promise<object>
}

/** A tool among others, whatever its arguments are. */
export type Tool = Omit<Definition<TObject>, 'rules' | 'said' | 'links' | 'answer'> & {
  /** The answer to arguments that nobody has checked yet. */
  answer(ask: Ask): object | Promise<object>
}

export const tool = <S extends TObject>(definition: Definition<S>): Tool => ({
  ...definition,
  answer({ given, view, by }) {
    const said: string[] = []
    const args = readArguments({ ...definition, said }, given, view)
    const body = definition.answer({ args, view, ...by })
    const places = definition.links?.(args, view)
    const whole = (found: object) => ({
      ...(said.length === 0 ? found : paged(found, {}, ...said)),
      ...(places && { links: linksOf(by.home, places) }),
    })
    return body instanceof Promise ? body.then(whole) : whole(body)
  },
})
