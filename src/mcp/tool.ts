import type { Static, TObject } from '@sinclair/typebox'
import type { View } from '~/memory/view.ts'
import { type Reader, readArguments } from './arguments.ts'
import { paged } from './page.ts'

/** One call of a tool by a known caller: its arguments as given, and what the caller may see. */
type Ask = { readonly given: unknown; readonly view: View }

/** A question that an agent can ask. */
type Definition<S extends TObject> = Reader<S> & {
  readonly name: string
  readonly title: string
  /**
   * A text for a model that has to choose: what the tool answers, in which units, and what it is
   * not.
   */
  readonly description: string
  /** The body that REST would answer with, or a shorter one; throws what REST would. */
  answer(ask: { readonly args: Static<S>; readonly view: View }): object | Promise<object>
}

/** A tool among others, whatever its arguments are. */
export type Tool = Pick<Definition<TObject>, 'name' | 'title' | 'description' | 'input'> & {
  /** The answer to arguments that nobody has checked yet. */
  answer(ask: Ask): object | Promise<object>
}

export const tool = <S extends TObject>(definition: Definition<S>): Tool => ({
  ...definition,
  answer({ given, view }) {
    const said: string[] = []
    const args = readArguments({ ...definition, said }, given, view)
    const body = definition.answer({ args, view })
    const noted = (whole: object) => (said.length === 0 ? whole : paged(whole, {}, ...said))
    return body instanceof Promise ? body.then(noted) : noted(body)
  },
})
