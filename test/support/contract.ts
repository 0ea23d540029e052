import { ERROR_CODES } from '~/domain/errors.ts'
import { type Json, SchemaCheck } from './json-schema.ts'
import { type RowMedia, rowFaults } from './rows.ts'

const DOCUMENT_URL = 'http://localhost/openapi.json'
const WATCHED_HEADERS = [
  'allow',
  'cache-control',
  'content-disposition',
  'etag',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'strict-transport-security',
  'www-authenticate',
  'x-accel-buffering',
  'x-as-of',
  'x-content-type-options',
  'x-corridor-position',
  'x-data-freshness',
  'x-mid-fetched-at',
  'x-mid-rate',
  'x-mid-source',
  'x-note',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]

/** The path as the router sees it, which can differ from the URL class. */
const PATH = /^https?:\/\/[^/]*([^?]*)/

type App = { fetch(request: Request): Response | Promise<Response> }

/** The app, which from now on throws if a response does not match its document. */
export function underContract<T extends App>(app: T): T {
  const answer = app.fetch
  const value = async (request: Request): Promise<Response> => {
    const response = await answer(request)
    const faults = (await contractOf({ fetch: answer })).faults(request, await seen(response))
    const asked = `${request.method} ${request.url} ${response.status}`
    if (faults.length > 0)
      throw new Error(`the document says otherwise of ${asked}: ${faults.join('; ')}`)
    return response
  }
  return Object.defineProperty(app, 'fetch', { value, configurable: true })
}

const NOTHING: Json = {}

/** `fetch` for a service that listens at `origin`, likewise. */
export const fetchUnderContract = (origin: string) =>
  underContract({
    fetch: (request) => fetch(request.url === DOCUMENT_URL ? `${origin}/openapi.json` : request),
  }).fetch

/** The parts of a reply that the contract checks: JSON and rows. */
export type Seen = { readonly status: number; readonly headers: Headers; readonly text: string }

async function seen(response: Response): Promise<Seen> {
  const { status, headers } = response
  return { status, headers, text: isText(response) ? await textOf(response.clone()) : '' }
}

/** Reports whether a body has an end, and is checked. */
const isText = ({ headers }: Response): boolean => /json|csv/.test(mediumOf(headers) ?? '')

/** The text of a readable body, which a server may have compressed. */
async function textOf(response: Response): Promise<string> {
  const bytes = await response.bytes()
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  return new TextDecoder().decode(isZipped ? Bun.gunzipSync(bytes) : bytes)
}

/** The type of a body without its parameters. */
const mediumOf = (headers: Headers): string | null =>
  headers.get('content-type')?.split(';')[0]?.trim() ?? null

/** The parts of an OpenAPI document that tests use. */
export type Document = Json & {
  readonly servers: readonly { url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/** The description that an app gives of itself. */
export async function documentOf(app: App): Promise<Document> {
  const response = await app.fetch(new Request(DOCUMENT_URL))
  return (await response.json()) as Document
}

let contract: Promise<Contract> | null = null

/** Every app has the same description, except for its address. */
function contractOf(app: App): Promise<Contract> {
  contract ??= documentOf(app).then((document) => new Contract(document))
  return contract
}

type DocumentedHeader = {
  readonly name: string
  readonly schema: Json
  readonly required: boolean
}
type Documented = {
  readonly headers: readonly DocumentedHeader[]
  readonly others: readonly string[]
}

/** The promises of an OpenAPI document, checked against responses. */
export class Contract {
  readonly #check: SchemaCheck
  readonly #paths: Document['paths']
  readonly #basePath: string
  readonly #documented = new WeakMap<object, Documented>()

  constructor(document: Document) {
    this.#check = new SchemaCheck(document)
    this.#paths = document.paths
    const [server] = document.servers
    this.#basePath = new URL(server!.url, DOCUMENT_URL).pathname
  }

  /** Differences between a reply and the document, either way. */
  faults({ method, url }: { method: string; url: string }, reply: Seen): string[] {
    const pathname = PATH.exec(url)?.[1] ?? ''
    if (!pathname.startsWith(`${this.#basePath}/`)) return []
    if (method === 'OPTIONS' && reply.status === 204) return []
    const path = pathname.slice(this.#basePath.length).replace(/\/$/, '')
    const operations = this.#paths[path] ?? this.#withParts(path)
    const isRefused = reply.status === 404 || reply.status === 405
    if (!operations) return isRefused ? errorFaults(reply) : ['no such path']
    const isHead = method === 'HEAD'
    const operation = operations[isHead ? 'get' : method.toLowerCase()]
    if (!operation && reply.status !== 405) return ['no such operation']
    const { responses } = operation ?? Object.values(operations)[0]!
    const response = (responses as Record<string, Json>)[reply.status]
    if (!response) return [`status ${reply.status} is not documented`]
    return this.#responseFaults(this.#check.resolved(response), reply, isHead)
  }

  /** Description of a path with parameters, if one fits. */
  #withParts(path: string): Document['paths'][string] | undefined {
    const fits = (documented: string) => {
      const pattern = RegExp.escape(documented).replace(/\\{[^}]*\\}/g, '[^/]*')
      return documented.includes('{') && new RegExp(`^${pattern}$`).test(path)
    }
    const [, operations] =
      Object.entries(this.#paths).find(([documented]) => fits(documented)) ?? []
    return operations
  }

  #responseFaults(
    { headers = NOTHING, content = NOTHING }: Json,
    reply: Seen,
    isHead: boolean,
  ): string[] {
    const faults = this.#headerFaults(headers as Record<string, Json>, reply.headers)
    const type = mediumOf(reply.headers)
    if (type === null && content === NOTHING) return faults
    const media = (content as Record<string, Json>)[type ?? '']
    if (!media) return [`content type ${type} is not documented`]
    if (isHead) return faults
    if (type !== 'application/json' && !/csv|ndjson/.test(type ?? '')) return faults
    if (type !== 'application/json')
      return [...faults, ...rowFaults(content as Record<string, RowMedia>, reply, this.#check)]
    const body = JSON.parse(reply.text)
    return [...faults, ...this.#check.faults(media.schema as Json, body)]
  }

  /** The documented headers of a response, and the watched ones that it does not document. */
  #headersOf(documented: Record<string, Json>): Documented {
    const known = this.#documented.get(documented)
    if (known) return known
    const headers = Object.entries(documented).map(
      ([name, header]) => ({ name, ...this.#check.resolved(header) }) as DocumentedHeader,
    )
    const names = headers.map(({ name }) => name.toLowerCase())
    const others = WATCHED_HEADERS.filter((name) => !names.includes(name))
    this.#documented.set(documented, { headers, others })
    return { headers, others }
  }

  #headerFaults(documented: Record<string, Json>, given: Headers): string[] {
    const { headers, others } = this.#headersOf(documented)
    const undocumented = others.filter((name) => given.has(name))
    return [
      ...undocumented.map((name) => `header ${name} is not documented`),
      ...headers.flatMap(({ name, schema, required }) => {
        const text = given.get(name)
        if (text === null) return required ? [`header ${name} is missing`] : []
        return this.#check.faults(schema, schema.type === 'integer' ? Number(text) : text, name)
      }),
    ]
  }
}

function errorFaults({ text }: Seen): string[] {
  const { error, code } = text === '' ? { error: '', code: ERROR_CODES[0] } : JSON.parse(text)
  const isKnown = typeof error === 'string' && ERROR_CODES.includes(code)
  return isKnown ? [] : ['the error has no sentence or no known code']
}
