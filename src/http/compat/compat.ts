import { ServiceError } from '~/domain/errors.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { AccessDeps } from '~/http/access.ts'
import { tagOf } from '~/http/answer.ts'
import { isHeld } from '~/http/entity-tag.ts'
import { MeteredRequest, type Refusal } from '~/http/metered-request.ts'
import { pathOf } from '~/http/path.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { View } from '~/memory/view.ts'
import type { Credential } from '~/service/access.ts'
import { callerOf, urlCallerOf } from '~/service/access.ts'
import { midTable, type TableDeps } from '~/service/past/mid-table.ts'
import { credentialOf } from '~/wire/credential.ts'
import type { ErrorBody } from '~/wire/errors.ts'
import { presentSample } from '~/wire/present.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { Api, Question, RatesAsk, Said } from './api.ts'
import { Asked } from './asked.ts'
import { currencyApi } from './currency-api.ts'
import { ecb } from './ecb.ts'
import { exchangerateHost } from './exchangerate-host.ts'
import { CompatError, faultOf } from './fault.ts'
import { firefly } from './firefly.ts'
import { fixer } from './fixer.ts'
import { frankfurterV1 } from './frankfurter-v1.ts'
import { frankfurterV2 } from './frankfurter-v2.ts'
import { KeptAnswers, type Written } from './kept-answers.ts'
import { openExchangeRates } from './open-exchange-rates.ts'
import { plain } from './plain.ts'

type CompatDeps = AccessDeps & TableDeps
type Deps = CompatDeps & { readonly kept: KeptAnswers }

const APIS = [
  ...[frankfurterV1, openExchangeRates, exchangerateHost, fixer, currencyApi, ecb, plain],
  firefly,
]
const BY_NAME = new Map(APIS.map((api) => [api.name, api]))
/** Names of a key in a query, by the APIs. */
const KEY_NAMES = ['app_id', 'access_key', 'apikey']
const TOKEN = /^token +(.+)$/i

/** Mids in the form of other APIs, for programs whose base URL can be changed and nothing else. */
export function compatRoutes(deps: CompatDeps): Route[] {
  const all = { ...deps, kept: new KeptAnswers() }
  return [{ method: 'GET', path: '/compat/*', handle: (request) => answered(all, request) }]
}

type Found = { readonly api: Api; readonly asked: Asked; readonly key: string | null }

/** The API that a URL names, its request, and the key in the URL; null for no API of ours. */
function found(request: Request, nowMs: number): Found | null {
  const { url, headers } = request
  const parts = pathOf(url)
    .replace(/^.*?\/compat\//, '')
    .split('/')
  const [key, name, ...rest] = BY_NAME.has(parts[0]!) ? [null, ...parts] : parts
  const path = rest.join('/').replace(/\/$/, '')
  const api = name === frankfurterV2.name && /^v2\b/.test(path) ? frankfurterV2 : BY_NAME.get(name!)
  if (!api) return null
  const query = url.slice(url.indexOf('?') + 1 || url.length)
  const asked = new Asked(path, query, nowMs, headers.get('accept'))
  return { api, asked, key: key ?? (query === '' ? null : asked.text(...KEY_NAMES)) }
}

const UNKNOWN = new ServiceError(
  'unknown_path',
  `the path is /compat/KEY/NAME/..., NAME being one of ${[...BY_NAME.keys()].join(', ')}`,
)

function answered(deps: Deps, request: Request): Response | Promise<Response> {
  const nowMs = deps.clock.now()
  const asking = found(request, nowMs)
  if (!asking) return errorReply(UNKNOWN, deps.log, NO_REFERRER)
  const { key } = asking
  const metered = new MeteredRequest(deps, request)
  const origin = request.headers.get('origin')
  const find = (atMs: number) =>
    key === null
      ? callerOf(deps, inHeaders(request.headers), atMs, { origin })
      : urlCallerOf(deps, key, { nowMs: atMs, origin })
  const refusal = metered.begin(find)
  const known = refusal === null ? knownAnswer(deps, metered, asking) : null
  return known
    ? replyOf(deps, { metered, asking, request }, known)
    : lateReply(deps, { metered, asking, request }, refusal)
}

type Answering = {
  readonly metered: MeteredRequest
  readonly asking: Found
  readonly request: Request
}

async function lateReply(
  deps: Deps,
  answering: Answering,
  begun: Refusal | Promise<Refusal>,
): Promise<Response> {
  const { metered, asking } = answering
  try {
    const refusal = await begun
    if (refusal) throw refusal
    return replyOf(deps, answering, await written(deps, metered, asking))
  } catch (error) {
    return failedReply(metered, asking, error)
  }
}

function replyOf(deps: Deps, { metered, asking, request }: Answering, answer: Written): Response {
  const { body, type, etag } = answer
  const own = { ...sharedBy(asking.key), ...sampleOf(deps), etag }
  const headers = { ...metered.tieredHeaders(), ...own }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers })
  return new Response(streamedBody(body), { headers: { ...headers, 'content-type': type } })
}

function inHeaders(headers: Headers): Credential {
  const token = TOKEN.exec(headers.get('authorization') ?? '')?.[1]
  return token ?? credentialOf(headers)
}

const nameOf = ({ api, asked }: Found, { tier }: Freshness): string =>
  `${tier} ${api.name} ${asked.whole()} ${asked.accept}`

/** The cached response; null without one. */
function knownAnswer({ kept, memory }: Deps, metered: MeteredRequest, asking: Found) {
  const freshness = metered.freshness()
  return kept.find(nameOf(asking, freshness), memory.current, freshness)
}

/** The response from the current data. */
async function written(
  { kept, ...deps }: Deps,
  metered: MeteredRequest,
  asking: Found,
): Promise<Written> {
  const { api, asked } = asking
  const freshness = metered.freshness()
  const name = nameOf(asking, freshness)
  const question = api.question(asked)
  if ('usage' in question) {
    const body = textOf(question.usage(metered.success().quota), api.indent?.(asked))
    return { body, type: JSON_TYPE, etag: tagOf([name, body]) }
  }
  const view = new View(deps.memory.current, freshness, deps.ageLimits)
  const said = await saidOf(deps, view, { api, question })
  const body = textOf(said, api.indent?.(asked))
  const made = { body, type: typeOf(said, asked), etag: tagOf([name, body]) }
  const isOfNow = 'rates' in question && !question.rates.span && !question.rates.bank
  if (isOfNow) kept.keep(name, { ...made, basis: view.basis })
  return made
}

const JSON_TYPE = 'application/json; charset=utf-8'

type Put = { readonly api: Api; readonly question: Exclude<Question, { usage: unknown }> }

async function saidOf(deps: CompatDeps, view: View, { api, question }: Put): Promise<Said> {
  if ('said' in question) return question.said
  const { catalogue } = view
  const fiat = catalogue.supportedCodes.filter((code) => view.isFiat(code))
  if ('currencies' in question)
    return question.currencies(fiat.map((code) => catalogue.currency(code)!))
  return table(deps, view, { ask: question.rates, fiat, isLenient: api.isLenient ?? false })
}

type Rates = {
  readonly ask: RatesAsk
  readonly fiat: readonly string[]
  readonly isLenient: boolean
}

async function table(deps: CompatDeps, view: View, { ask, fiat, isLenient }: Rates): Promise<Said> {
  const { base, span, bank, write } = ask
  if (!fiat.includes(base)) throw new CompatError('base', `invalid currency: ${shown(base)}`)
  const wanted = ask.quotes && [...new Set(ask.quotes)].sort()
  const unknown = wanted?.find((code) => !fiat.includes(code))
  if (unknown !== undefined && !isLenient)
    throw new CompatError('quotes', `invalid currency: ${shown(unknown)}`)
  const quotes = wanted?.filter((code) => fiat.includes(code)) ?? fiat
  if (quotes.length === 0) throw new CompatError('quotes', 'none of these currencies is served')
  if (bank !== null && !view.catalogue.anyProvider(bank))
    throw new CompatError('parameter', `bank names no provider of this service: ${shown(bank)}`)
  const days = await midTable(deps, view, { base, quotes, isAll: !wanted, span, bank })
  const [first] = days
  const rows = first?.rows ?? []
  const isEmpty = days.every((day) => day.rows.every(({ quote }) => quote === base))
  const isIdentity = wanted?.length === 1 && wanted[0] === base
  if (days.every((day) => day.rows.length === 0) || (isEmpty && !isIdentity)) {
    if (ask.empty !== undefined) return ask.empty
    throw new CompatError('none', 'these currencies have no rate at that time')
  }
  const had = new Set(days.flatMap((day) => day.rows.map(({ quote }) => quote)))
  const missing = isLenient ? undefined : wanted?.find((code) => !had.has(code))
  if (missing !== undefined) throw new CompatError('quotes', `${missing} has no rate at that time`)
  const atMs = Math.min(...rows.map((row) => row.atMs))
  const said = write({ base, days, rows, atMs })
  if (!view.freshness.isSample || typeof said === 'string' || Array.isArray(said)) return said
  return { ...said, ...presentSample(true) }
}

const CODE_SHOWN = 10
const shown = (code: string): string => JSON.stringify(code.slice(0, CODE_SHOWN)).slice(1, -1)

/** The key in the URL must not reach another site. */
const NO_REFERRER = { 'referrer-policy': 'no-referrer' }

/** Lets any page read the response to a key that is public with it; the key limits the callers. */
const PUBLIC = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'etag, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
}
const sharedBy = (key: string | null) => ({ ...NO_REFERRER, ...(key !== null && PUBLIC) })

/** Marks any response as sample data; a body is marked only if its readers skip unknown fields. */
const sampleOf = ({ memory }: CompatDeps) => (memory.isSample ? { 'x-sample': 'true' } : {})

const textOf = (said: Said, indent?: string | number): string =>
  typeof said === 'string' ? said : JSON.stringify(said, null, indent)

function typeOf(said: Said, { path, accept }: Asked): string {
  if (typeof said !== 'string') return JSON_TYPE
  if (path.endsWith('.csv')) return 'text/csv; charset=utf-8'
  if (path.endsWith('.xml')) return 'text/xml; charset=utf-8'
  return accept?.includes('ndjson') ? 'application/x-ndjson' : 'text/plain; charset=utf-8'
}

/** The error in the API's own form, with the headers of any other. */
async function failedReply(metered: MeteredRequest, { api, key }: Found, error: unknown) {
  const reply = metered.failed(error, sharedBy(key))
  const { error: message } = (await reply.json()) as ErrorBody
  const [status, said] = api.error(faultOf(error), { message, status: reply.status })
  const isText = typeof said === 'string'
  reply.headers.set('content-type', isText ? 'text/plain; charset=utf-8' : 'application/json')
  return new Response(textOf(said), { status, headers: reply.headers })
}
