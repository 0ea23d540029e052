import type { Document } from '../support/contract.ts'
import type { Json } from '../support/json-schema.ts'

export type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean }

type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, Json>> }

/** The parts of an operation that the client uses. */
export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Json
  readonly responses: Readonly<Record<string, Response>>
}

export type Entry = {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The part of the document that a client's types need. */
export type ClientDocument = Document & { readonly components: Json }

export const IDEMPOTENCY_KEY = 'Idempotency-Key'

const JSON_TYPE = 'application/json'

/** Every operation of a document in its order. */
export const entriesOf = ({ paths }: Document): Entry[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path },
      operation: { parameters: [], ...operation } as unknown as Operation,
    })),
  )

/** The successful response of an operation. */
export const successOf = ({ responses }: Operation): Response =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))![1]

/** Reports whether an operation returns something other than JSON. */
export const isRaw = (operation: Operation): boolean => {
  const { content } = successOf(operation)
  return content !== undefined && !(JSON_TYPE in content)
}

/** Reports whether an operation returns a stream of events. */
export const isStream = (operation: Operation): boolean =>
  'text/event-stream' in (successOf(operation).content ?? {})

/**
 * The document without the parts that the client handles by itself: headers, other forms of JSON
 * responses, and the parameter that requests them.
 */
export function clientDocument(document: Document): ClientDocument {
  const paths: Record<string, Record<string, Json>> = {}
  for (const { method, path, operation } of entriesOf(document))
    paths[path] = { ...paths[path], [method.toLowerCase()]: toldOf(operation) }
  const { headers: _, responses = {}, ...components } = (document as Json).components as Json
  const own = responsesOf(responses as Operation['responses'])
  return { ...document, paths, components: { ...components, responses: own } }
}

function toldOf(operation: Operation): Json {
  const { parameters, responses } = operation
  const isTold = ({ in: place, name }: Parameter) =>
    place === 'path' || (place === 'query' && (isRaw(operation) || name !== 'format'))
  return { ...operation, parameters: parameters.filter(isTold), responses: responsesOf(responses) }
}

const responsesOf = (responses: Operation['responses']): Json =>
  Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status !== '304')
      .map(([status, { headers: _, content = {}, ...response }]: [string, Response & Json]) => [
        status,
        {
          ...response,
          ...(JSON_TYPE in content && { content: { [JSON_TYPE]: content[JSON_TYPE] } }),
        },
      ]),
  )
