import { type TObject, Type } from '@sinclair/typebox'
import { optional } from '~/wire/fields.ts'
import { codeSamples, type Question } from './code-samples.ts'
import { type Endpoint, type Operation, TAGS } from './operation.ts'
import { type Examples, headerComponents, Responses } from './response.ts'
import { Components, type Json } from './schema.ts'

/** The version of the description, which the paths show as v1. */
export const DOCUMENT_VERSION = '1.0.0'

const DESCRIPTION = `
What it costs to move money into, out of and across Africa: every provider's latest quote with its
fee and spread, what a recipient nets, and an independent mid-market rate to compare them with.

- **Keys.** Every operation except \`/status\` needs a key, in the header \`X-API-Key\` or as
  \`Authorization: Bearer\`.
- **Quota.** A successful read costs one unit of the account's daily quota (UTC), a failed one
  nothing. The \`X-RateLimit-*\` headers show what is left.
- **Tiers.** Free and pro plans see the data of the top of the current UTC hour (\`hourly\`, with
  \`as_of\`), enterprise plans the data of now (\`realtime\`). Every response says which.
- **Kinds of price.** Quotes of different \`rate_type\` are never ranked against each other;
  \`official\` and \`parallel\` quotes are never the best.
- **Offers.** A price may be for certain countries, ways of paying or amounts: \`offer\` says which.
  A request can ask for them; a condition that an offer does not state is not assumed, but listed
  in \`unspecified\`.
- **Files.** Lists are also available as CSV and NDJSON, by \`format\` or \`Accept\`: flat rows
  whose columns never depend on the data. \`x-columns\` of \`text/csv\` lists them in order.
- **Errors.** JSON with \`error\`, a sentence that says what to do, and a stable \`code\`.
- **Request ids.** Every response has an \`X-Request-Id\`: the one you sent, if it has 1 to 128
  letters, digits, dots, dashes or underscores, otherwise a new one. Quote it when you report a
  problem.
- **HEAD** works wherever GET does.
- **Unknown parameters** are ignored, except those that ask for a time (\`date\`, \`period\`,
  \`start\`, \`end\`, \`as_of\`): operations that serve only the present refuse them with 400.
`.trim()

/** The address that the document is served from, and what it includes. */
type DocumentOptions = {
  readonly basePath: string
  /** The address of the service, without a slash at the end; empty for where the document is. */
  readonly home: string
  readonly examples: Examples
}

export function openApiDocument(endpoints: readonly Endpoint[], options: DocumentOptions): Json {
  const components = new Components()
  const responses = new Responses(components, options.examples)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const { method, path, operation } = endpoint
    const written = operationObject(operation, components, responses)
    const samples = samplesOf(endpoint, written.parameters ?? [], options)
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...written, ...samples } }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Corridor',
      summary: 'Currency rates and what providers really charge, corridor by corridor.',
      description: DESCRIPTION,
      version: DOCUMENT_VERSION,
      contact: { name: 'The operator of this service', url: `${options.home}/` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${options.home}${options.basePath}` }],
    security: KEYS,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: sorted(components.schemas),
      responses: responses.shared,
      headers: Object.fromEntries(
        Object.entries(headerComponents).map(([name, header]) => [
          name,
          { required: true, ...(header as Json) },
        ]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const KEYS = [{ ApiKey: [] }, { Bearer: [] }]

const SECURITY_SCHEMES = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of your account, as shown when it was created.',
  },
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key as `Authorization: Bearer crd_...`.',
  },
  StreamToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'A token of /stream/token, for browsers, which cannot set headers on a stream.',
  },
} as const

const HeldTag = Type.Object({
  'If-None-Match': optional.string({
    description: 'The ETag of an earlier response; 304 if that response is still valid.',
    examples: ['W/"sJ2Yc0bJPHrq5WmpfTGvcAgV5Hw"'],
  }),
})

/** Programs that call the endpoint with the examples of its parameters. */
function samplesOf(
  { method, path, operation }: Endpoint,
  parameters: readonly Json[],
  { home, basePath }: DocumentOptions,
): Json {
  const url = `${home}${basePath}${pathOf(path, parameters)}${queryOf(parameters)}`
  return { 'x-codeSamples': codeSamples(questionOf(operation, { method, url })) }
}

const questionOf = (
  { access, body, file, events }: Operation,
  asked: Pick<Question, 'method' | 'url'>,
): Question => ({
  ...asked,
  hasKey: access !== 'public',
  ...(file && { fileName: /[^/?]+(?=$|\?)/.exec(asked.url)![0] }),
  ...(events && { isStream: true }),
  ...(body && { body: Object.values(body.examples)[0] }),
})

/** The path with the example of each of its parameters. */
const pathOf = (path: string, parameters: readonly Json[]): string =>
  path.replace(/{(\w+)}/g, (_match, part: string) =>
    String(parameters.find(({ name, in: place }) => place === 'path' && name === part)?.example),
  )

/** The query of the example of each parameter that has one; commas stay, as people write lists. */
function queryOf(parameters: readonly Json[]): string {
  const given = parameters.filter(
    ({ example, in: place }) => place === 'query' && example !== undefined,
  )
  const pairs = given.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return pairs.length > 0 ? `?${pairs.join('&').replaceAll('%2C', ',')}` : ''
}

function operationObject(operation: Operation, components: Components, responses: Responses) {
  const { id, tag, summary, description, path, query, headers, body, access } = operation
  const parameters = [
    ...(path ? parametersIn('path', path, components) : []),
    ...parametersIn('query', query, components),
    ...(headers ? parametersIn('header', headers, components) : []),
    ...(operation.isTagged ? parametersIn('header', HeldTag, components) : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\n${costOf(operation)}`,
    ...(access === 'public' && { security: [] }),
    ...(operation.takesToken && { security: [...KEYS, { StreamToken: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': bodyContent(body, components), ...textContents(body) },
      },
    }),
    responses: responses.of(operation),
  }
}

function bodyContent({ schema, examples }: Body, components: Components): Json {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { schema: components.schema(schema), examples: Object.fromEntries(named) }
}

const textContents = ({ texts = {} }: Body): Json =>
  Object.fromEntries(
    Object.entries(texts).map(([medium, example]) => [
      medium,
      { schema: { type: 'string' }, example },
    ]),
  )

type Body = NonNullable<Operation['body']>

function costOf({ access, isMetered, isTiered }: Operation): string {
  const cost = isMetered ? 'Costs one unit.' : 'Costs nothing.'
  if (access === 'public') return `${cost} Takes no key.`
  if (access === 'recording') return `${cost} Takes a key of a treasury or admin account.`
  return isTiered ? `${cost} Served at the tier of the key.` : cost
}

type Place = 'path' | 'query' | 'header'

/**
 * The parameters at one place. Only a required parameter has an example of its own: pages fill a
 * form with it, and optional ones are left to the reader. So has one of several parameters of
 * which a request takes any, by its `example`.
 */
function parametersIn(place: Place, schema: TObject, components: Components): Json[] {
  return Object.entries(schema.properties).map(([name, field]) => {
    const { description, examples, example, ...rest } = field
    const isRequired = (schema.required?.includes(name) && rest.default === undefined) ?? false
    return {
      name,
      in: place,
      description,
      required: isRequired,
      ...(rest.type === 'array' && { style: 'form', explode: false }),
      ...(isRequired && examples && { example: examples[0] }),
      ...(example !== undefined && { example }),
      schema: components.schema(isRequired ? rest : { ...rest, ...(examples && { examples }) }),
    }
  })
}

const sorted = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
