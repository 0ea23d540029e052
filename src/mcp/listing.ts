import { OptionalKind, type TObject, type TSchema } from '@sinclair/typebox'
import { cardResource } from './resource/card.ts'
import type { Tool } from './tool.ts'

/** The root of the schema of a tool's arguments. */
type ObjectSchema = { type: 'object'; [member: string]: unknown }

/** Definitions that are longer, in characters, are given once, by the first tool that has them. */
const REPEATED_LENGTH_MAX = 60

/** Arguments that are described by the first tool alone that has them so. */
const PLAIN = ['detail', 'limit', 'offset']

/**
 * The tools in the form of `tools/list`.
 *
 * A model reads all of it before its first call, so it is short: an argument's words are listed by
 * one tool and referred to by the others, and there are no schemas of results, which would be more
 * than twice as long as the rest.
 */
export function listed(tools: readonly Tool[]) {
  const described = new Map<string, string>()
  return tools.map(({ name, title, description, input, effect, isCard }) => ({
    name,
    title,
    description,
    inputSchema: inputSchemaOf(name, input, described),
    annotations: annotationsOf(effect),
    ...(isCard && { _meta: { ui: { resourceUri: cardResource.uri } } }),
  }))
}

const annotationsOf = (effect: Tool['effect']) =>
  effect === undefined
    ? { readOnlyHint: true, openWorldHint: false }
    : { destructiveHint: effect === 'deletes', openWorldHint: effect === 'creates' }

function inputSchemaOf(
  tool: string,
  { properties }: TObject,
  described: Map<string, string>,
): ObjectSchema {
  const fields = Object.entries(properties)
  const required = fields
    .filter(([, field]) => !(OptionalKind in field) && field.default === undefined)
    .map(([name]) => name)
  const shown = fields.map(([name, field]) => {
    const whole = shownField(field)
    const text = `${name} ${JSON.stringify(whole)}`
    const describing = described.get(text)
    const isPlain = PLAIN.includes(name)
    if (describing !== undefined)
      return [name, { ...kindOf(field), ...(!isPlain && { description: `See ${describing}.` }) }]
    if (isPlain || text.length > REPEATED_LENGTH_MAX) described.set(text, tool)
    return [name, whole]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(shown),
    ...(required.length > 0 && { required }),
  }
}

/** Parts of a field's schema that help to write its value. */
function shownField(field: TSchema): object {
  const { description, type, maximum, default: fallback } = field
  return {
    ...kindOf(field),
    ...(field.enum && { enum: field.enum }),
    ...(field.items?.enum && { items: { type: 'string', enum: field.items.enum } }),
    ...(type === 'integer' && maximum !== undefined && { maximum }),
    ...(fallback !== undefined && fallback !== 0 && { default: fallback }),
    description,
  }
}

const kindOf = ({ type }: TSchema) => ({
  type,
  ...(type === 'array' && { items: { type: 'string' } }),
})
