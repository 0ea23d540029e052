import type { Document } from '../support/contract.ts'
import { type Json, SchemaCheck } from '../support/json-schema.ts'
import {
  type Entry,
  entriesOf,
  IDEMPOTENCY_KEY,
  isRaw,
  isStream,
  type Operation,
  type Parameter,
  successOf,
} from './client-document.ts'

const COLUMNS_MAX = 100
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PAGED_BY = ['offset', 'until']

const HEAD = `import { Connection } from './connection.ts'
import { CorridorError } from './corridor-error.ts'
import type { AnswerOf, BodyOf, ErrorBody, OperationId } from './operation.ts'
import type { ParametersOf, Schemas } from './operation.ts'
import type { CallOptions, CorridorOptions, RecordingOptions, StreamOptions } from './options.ts'
import type { StreamEvent } from './stream-event.ts'
`

const TAIL = `export { Corridor, CorridorError }
export type { AnswerOf, BodyOf, CallOptions, CorridorOptions, ErrorBody, OperationId }
export type { ParametersOf, RecordingOptions, Schemas, StreamEvent, StreamOptions }
`

const OF_CLASS = `
The service's API: one method for each of its operations.

Each resolves to the body of the answer, and rejects with a \`CorridorError\`.
`

/** The source of the client's class: a method for each operation of a document, with its words. */
export function clientSource(document: Document): string {
  const check = new SchemaCheck(document)
  const methods = entriesOf(document).flatMap((entry) => [
    isStream(entry.operation) ? streamOf(entry) : methodOf(entry),
    ...(isPaged(entry.operation, check) ? [pagesOf(entry)] : []),
  ])
  const text = methods.map((method) => method.replace(/^(?=.)/gm, '  ')).join('\n')
  return `${HEAD}\n${comment(OF_CLASS)}class Corridor extends Connection {\n${text}}\n\n${TAIL}`
}

function methodOf({ method, path, operation }: Entry): string {
  const { operationId: id, summary, description, requestBody } = operation
  if (!METHODS.includes(method)) throw new Error(`${id}: the client cannot send ${method}`)
  const isKeyed = operation.parameters.some(({ name }) => name === IDEMPOTENCY_KEY)
  const parameters = parametersOf(operation)
  const call = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(parameters ? ['parameters'] : []),
    ...(requestBody ? ['body'] : []),
    ...(isKeyed ? ['isKeyed: true'] : []),
    ...(isRaw(operation) ? ['isRaw: true'] : []),
  ]
  const taken = [
    // none may be left out before a body
    ...(parameters
      ? [requestBody ? parameters.replace(/^parameters\?/, 'parameters') : parameters]
      : []),
    ...(requestBody ? [`body: BodyOf<'${id}'>`] : []),
    `options?: ${isKeyed ? 'RecordingOptions' : 'CallOptions'}`,
  ]
  return `${comment(`${summary}.\n\n${description}`)}${id}(${taken.join(', ')}): Promise<${givenBy(operation)}> {
  return this.call({ ${call.join(', ')} }, options)
}
`
}

function streamOf({ path, operation }: Entry): string {
  const { operationId: id, summary, description } = operation
  const words = `${summary}.\n\n${description}\n\nThe stream is opened again where it ends, after the
last event that was handed out; leave the loop to end it.`
  return `${comment(words)}${id}(corridors: readonly string[] | '*', options?: StreamOptions): AsyncGenerator<StreamEvent, void, void> {
  return this.events({ method: 'GET', path: '${path}', parameters: { corridors } }, options)
}
`
}

function givenBy(operation: Operation): string {
  if (!successOf(operation).content) return 'void'
  return isRaw(operation) ? 'Response' : `AnswerOf<'${operation.operationId}'>`
}

function pagesOf({ operation }: Entry): string {
  const { operationId: id } = operation
  const words = `The pages of \`${id}\`, from \`offset\` on. Each is asked for when it is needed, and
costs what one call costs; all are of the window of the first.`
  return `${comment(words)}${id}Pages(${parametersOf(operation)}, options?: CallOptions): AsyncGenerator<AnswerOf<'${id}'>, void, void> {
  return this.pages((page: ParametersOf<'${id}'>) => this.${id}(page, options), parameters)
}
`
}

function parametersOf({ operationId, parameters }: Operation): string | null {
  const own = parameters.filter((parameter) => parameter.in !== 'header')
  if (own.length === 0) return null
  const isOptional = !own.some(({ required }: Parameter) => required)
  return `parameters${isOptional ? '?' : ''}: ParametersOf<'${operationId}'>`
}

/**
 * Reports whether an operation returns pages: it has a fixed window and says whether more follow.
 */
function isPaged(operation: Operation, check: SchemaCheck): boolean {
  const names = operation.parameters.map(({ name }) => name)
  const media = successOf(operation).content?.['application/json']
  if (!media || !PAGED_BY.every((name) => names.includes(name))) return false
  const schema = check.resolved(media.schema as Json)
  return 'has_more' in (schema.properties as object)
}

function comment(text: string): string {
  const lines = text.trim().replaceAll('*/', '* /').split('\n').flatMap(wrapped)
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** A line in parts that fit into a comment, broken at spaces. */
function wrapped(line: string): string[] {
  const widest = COLUMNS_MAX - '   * '.length
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > widest) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
