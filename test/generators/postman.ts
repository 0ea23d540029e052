import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '../support/child.ts'
import { type Document, documentOf } from '../support/contract.ts'
import type { Json } from '../support/json-schema.ts'
import { World } from '../support/world.ts'
import { toolbox } from './toolbox.ts'

/** The collection that the service serves at its own address. */
export const COLLECTION_FILE = join(ROOT, 'generated/postman.json')

/** The address in the file, which each service replaces by its own. */
const ANYWHERE = 'https://corridor.invalid'

const OPTIONS = {
  folderStrategy: 'Tags',
  requestNameSource: 'Fallback',
  parametersResolution: 'Example',
  alwaysInheritAuthentication: true,
}

type Parameter = { key: string; description: { content: string }; disabled?: boolean }
type Item = { name: string; item?: Item[]; request?: Request } & Json
type Request = { url: { path: string[]; query: Parameter[] }; header: Parameter[] } & Json
type Collection = { info: Json; item: Item[]; variable: Json[] } & Json

/** Result of the converter. */
type Conversion =
  | { readonly result: true; readonly output: readonly [{ readonly data: Collection }] }
  | { readonly result: false; readonly reason: string }
  | undefined

/** The document as a Postman collection, in the form of its file. */
export async function collectionText(): Promise<string> {
  const document = await documentOf(new World({ publicUrl: ANYWHERE }).app)
  const collection = trimmed(await converted(document), document)
  return `${JSON.stringify(collection, null, 1)}\n`
}

async function converted(document: Document): Promise<Collection> {
  const { convertV2 } = createRequire(join(await toolbox(), 'package.json'))('openapi-to-postmanv2')
  const input = { type: 'string', data: JSON.stringify(document) }
  return new Promise((resolve, reject) =>
    convertV2(input, OPTIONS, (error: Error | null, made: Conversion) =>
      made?.result ? resolve(made.output[0].data) : reject(error ?? new Error(made?.reason)),
    ),
  )
}

/**
 * The collection without ids, which are new each time, and responses, which the document has.
 * Optional parameters are switched off, so that a request can be sent as it is.
 */
function trimmed({ info: { name, schema }, ...made }: Collection, document: Document): Json {
  const { paths, info } = document
  const { item, auth, variable } = made
  return {
    info: { name, schema, description: (info as Json).description },
    auth,
    variable: [
      { key: 'baseUrl', value: `${ANYWHERE}/api/v1` },
      { key: 'apiKey', value: '', description: 'A key of your account.' },
      ...variable.filter(({ key }) => key !== 'baseUrl'),
    ],
    item: item.map(({ name, description, item: items = [] }) => ({
      name,
      description,
      item: items.map(({ name, request }) => ({
        name,
        request: requestOf(request!, paths[pathOf(request!)]!),
      })),
    })),
  }
}

/** The path as the document writes it; Postman has two braces or a colon for a variable. */
const pathOf = ({ url }: Request): string =>
  `/${url.path.join('/').replace(/{{(\w+)}}|:(\w+)/g, (_, a, b) => `{${a ?? b}}`)}`

function requestOf(
  { method, description, url, header, body }: Request,
  operations: Document['paths'][string],
): Json {
  const operation = operations[String(method).toLowerCase()]!
  const { parameters = [], security } = operation as { parameters?: Json[]; security?: Json[] }
  const switched = ({ key, ...rest }: Parameter) => {
    const documented = parameters.find(({ name }) => name === key)
    const isOptional = documented !== undefined && documented.example === undefined
    return { key, ...rest, ...(isOptional && { disabled: true, value: hintOf(documented) }) }
  }
  return {
    method,
    description,
    url: { ...url, query: url.query.map(switched) },
    header: header.map(switched),
    ...(body && Object.keys(body).length > 0 ? { body } : {}),
    ...(security?.length === 0 && { auth: { type: 'noauth' } }),
  }
}

/** An initial value; the converter would take any word of an enum, another each time. */
function hintOf({ schema }: Json): string {
  const { default: preset, examples, enum: words } = schema as Record<string, unknown[]>
  return String(preset ?? examples?.[0] ?? words?.[0] ?? '')
}

if (import.meta.main) await Bun.write(COLLECTION_FILE, await collectionText())
