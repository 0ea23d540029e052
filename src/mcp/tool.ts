import { OptionalKind, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import type { View } from '~/memory/view.ts'
import { readArguments } from './arguments.ts'

/** One call of a tool by a known caller: its arguments as given, and what the caller may see. */
type Ask = { readonly given: unknown; readonly view: View }

/** A question that an agent can ask. */
type Definition<S extends TObject> = {
  readonly name: string
  readonly title: string
  /**
   * A text for a model that has to choose: what the tool answers, in which units, and what it is
   * not.
   */
  readonly description: string
  readonly input: S
  readonly output: TSchema
  /** The body that REST would answer with; throws what REST would. */
  answer(ask: { readonly args: Static<S>; readonly view: View }): object | Promise<object>
}

/** A tool among others, whatever its arguments are. */
export type Tool = Omit<Definition<TObject>, 'answer'> & {
  /** The answer to arguments that nobody has checked yet. */
  answer(ask: Ask): object | Promise<object>
}

export const tool = <S extends TObject>(definition: Definition<S>): Tool => ({
  ...definition,
  answer: ({ given, view }) =>
    definition.answer({ args: readArguments(definition.input, given), view }),
})

/** The root of every schema of a tool. */
type ObjectSchema = { type: 'object'; [member: string]: unknown }

/** A tool in the form of `tools/list`. Every tool only reads, and only our own data. */
export function listed({ name, title, description, input, output }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    outputSchema: plain(output) as ObjectSchema,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  }
}

function inputSchemaOf({ properties }: TObject): ObjectSchema {
  const required = Object.entries(properties)
    .filter(([, field]) => !(OptionalKind in field) && field.default === undefined)
    .map(([name]) => name)
  const shown = Object.entries(properties).map(([name, field]) => [name, plain(shownField(field))])
  return {
    type: 'object',
    properties: Object.fromEntries(shown),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/**
 * The schema of a field as shown; a list may also be written as one comma-separated text, as in
 * REST.
 */
function shownField(field: TSchema): object {
  if (field.type !== 'array') return field
  const { description, examples, ...list } = field
  const [example] = examples as string[][]
  const text = { type: 'string', minLength: 1 }
  return { description, anyOf: [list, text], examples: [example, example!.join(',')] }
}

/** The schema as plain JSON, without TypeBox's internal members. */
const plain = (schema: object): Record<string, unknown> => JSON.parse(JSON.stringify(schema))
