import type { Random } from './random.ts'
import type { Operation, Surface } from './surface.ts'
import { deepJson, oddJson, oddText } from './values.ts'

export type Kind = 'api' | 'mcp' | 'compat' | 'page'

/** A request as sent, and what its response may be. */
export type Asked = {
  readonly bytes: Buffer
  readonly kind: Kind
  readonly isHead: boolean
  /**
   * Says whether it is valid HTTP; otherwise the server may hang up, or refuse it without a body.
   */
  readonly isSound: boolean
}

export type Actors = {
  readonly keys: readonly string[]
  /** Cookies of people who have signed in, and the tokens of their forms. */
  readonly people: readonly { readonly cookie: string; readonly token: string }[]
}

type Draft = {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: string | Buffer | null
  kind: Kind
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json, text/plain',
  '',
  'a'.repeat(300),
  'application/xml',
]

/** The next random request; the same for the same draws. */
export function drawn(random: Random, surface: Surface, actors: Actors): Asked {
  const draw = random.unit()
  const draft =
    draw < 0.55
      ? operationDraft(random, random.pick(surface.operations))
      : draw < 0.7
        ? mcpDraft(random)
        : otherDraft(random, surface, actors)
  dress(random, draft, actors)
  if (random.chance(0.06)) draft.method = random.pick(METHODS)
  if (random.chance(0.06)) draft.target = bentPath(random, draft.target)
  return written(random, draft)
}

function operationDraft(random: Random, operation: Operation): Draft {
  const { path, method, parameters, body } = operation
  const given = parameters.filter(({ isNeeded }) => random.chance(isNeeded ? 0.95 : 0.4))
  const value = (good: readonly string[]) =>
    random.chance(0.85) ? random.pick(good) : oddText(random)
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, good }) => [name, value(good)] as const)
  const headers = given
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, good }): [string, string] => [name, value(good)])
  const filled = path.replace(/{(\w+)}/g, (_match, part) => {
    const parameter = parameters.find(({ name }) => name === part)
    return encoded(value(parameter?.good ?? ['']))
  })
  return {
    method,
    target: filled + search(random, query),
    headers,
    body: body && rowsText(random, body),
    kind: 'api',
  }
}

/** A query string: valid, doubled, without values, unescaped, huge, or of something else. */
function search(random: Random, query: readonly (readonly [string, string])[]): string {
  const pairs = query.flatMap(([name, value]) => {
    const text = random.chance(0.95) ? encoded(value) : raw(value)
    const pair = random.chance(0.02) ? name : `${name}=${text}`
    return random.chance(0.04) ? [pair, pair] : [pair]
  })
  if (random.chance(0.05)) pairs.push(`${encoded(oddText(random))}=${encoded(oddText(random))}`)
  if (random.chance(0.01)) pairs.push(...random.some(400, () => `x${random.below(9)}=1`))
  if (random.chance(0.02))
    pairs.push(random.pick(['%', '%zz', '%E0%A4%A', '&&&', '=', 'from[]=USD', '?']))
  const joined = pairs.join(random.chance(0.99) ? '&' : ';')
  return joined === '' && random.chance(0.8) ? '' : `?${joined}`
}

/** Escaped as `encodeURIComponent` would, which refuses half a surrogate pair. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Unescaped, except for what would end the request line. */
const raw = (text: string): string => text.replace(/[\0-\x20\x7f#]/g, '+')

function rowsText(random: Random, members: Readonly<Record<string, string>>): string | Buffer {
  const draw = random.unit()
  if (draw < 0.03) return deepJson(random)
  if (draw < 0.15) return oddJson(random)
  if (draw < 0.16) return Buffer.from(oddText(random), random.pick(['latin1', 'utf16le'] as const))
  const row = () => {
    const parts = Object.entries(members)
      .filter(() => random.chance(0.9))
      .map(([name, value]) => `"${name}":${random.chance(0.9) ? value : oddJson(random, 3)}`)
    return `{${parts.join()}}`
  }
  if (draw < 0.5) return row()
  return `[${random.some(draw < 0.98 ? 5 : 101, row).join()}]`
}

const MCP_METHODS = [
  'initialize',
  'server/discover',
  'subscriptions/listen',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'notifications/initialized',
  'logging/setLevel',
  'completion/complete',
  'x',
]
const SLICE = ['limit', 'offset']
const FILTERS = [
  ...['max_age', 'source_country', 'target_country', 'pay_in', 'pay_out', 'channel'],
  'delivery_max',
]
const SELECTION = [...FILTERS, 'offers']

/** The arguments of each tool; now and then one of another tool is given, which is refused. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  get_rates: ['from', 'to', ...SELECTION, ...SLICE],
  convert: ['from', 'to', 'amount', 'recipient_gets', ...SELECTION, ...SLICE],
  get_costs: ['source_country', 'target_country', 'amount', 'amount_usd', 'from', 'to', ...SLICE],
  fetch_rates: ['from', 'to', 'max_age'],
  get_history: ['from', 'to', 'period', 'interval', 'provider', 'until', ...SLICE],
  list_corridors: ['by', ...FILTERS, ...SLICE],
  list_providers: SLICE,
  list_currencies: SLICE,
  x: ['order'],
}

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
  '"io.modelcontextprotocol/clientCapabilities":{}}'

/** Request of a client of 2026-07-28, whose headers repeat the body. */
function modernDraft(random: Random): Draft {
  const method = random.pick(MCP_METHODS)
  const params = rpcParams(random)
  const name = /^\{"name":"(\w*)"/.exec(params)?.[1] ?? ''
  return {
    method: 'POST',
    target: '/mcp',
    headers: [
      ['accept', 'application/json, text/event-stream'],
      ['mcp-protocol-version', random.chance(0.95) ? '2026-07-28' : oddText(random)],
      ['mcp-method', random.chance(0.95) ? method : oddText(random)],
      ['mcp-name', random.chance(0.95) ? name : oddText(random)],
    ],
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params.replace('{', `{${META},`)}}`,
    kind: 'mcp',
  }
}

function mcpDraft(random: Random): Draft {
  if (random.chance(0.4)) return modernDraft(random)
  const draw = random.unit()
  const body =
    draw < 0.04 ? deepJson(random) : draw < 0.15 ? oddJson(random) : rpcText(random, draw < 0.9)
  const headers: [string, string][] = [['accept', 'application/json, text/event-stream']]
  if (random.chance(0.2))
    headers.push(['mcp-protocol-version', random.chance(0.5) ? '2025-06-18' : oddText(random)])
  return {
    method: random.chance(0.95) ? 'POST' : random.pick(['GET', 'DELETE']),
    target: '/mcp',
    headers,
    body,
    kind: 'mcp',
  }
}

function rpcText(random: Random, isAlone: boolean): string {
  const message = () => {
    const id = random.chance(0.9) ? String(random.below(99)) : oddJson(random, 3)
    const method = random.chance(0.95)
      ? JSON.stringify(random.pick(MCP_METHODS))
      : oddJson(random, 3)
    const params = random.chance(0.8) ? rpcParams(random) : oddJson(random, 2)
    return `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${params}}`
  }
  return isAlone ? message() : `[${random.some(6, message).join()}]`
}

/** Valid values of some arguments, as JSON. */
const GOOD: Readonly<Record<string, readonly string[]>> = {
  source_country: ['"GB"', '"it"', '"US"'],
  target_country: ['"GH"', '"KE"', '"LR"'],
  pay_in: ['["cash","debit_card"]', '"bank_account"'],
  pay_out: ['["mobile_money"]', '"cash,mobile_money"'],
  channel: ['["internet"]', '"agent"'],
  delivery_max: ['"2h"', '"P5D"'],
  max_age: ['"PT90M"', '"7d"'],
  offers: ['"all"', '"best"'],
  by: ['"country"', '"currency"'],
  amount: ['100', '5'],
  amount_usd: ['200'],
  recipient_gets: ['25000'],
}
const ANY = ['"USD"', '"KES"', '["KES","NGN"]', '100', '"30d"', '5']

function rpcParams(random: Random): string {
  const value = (name: string) =>
    random.chance(0.8) ? random.pick(GOOD[name] ?? ANY) : oddJson(random, 3)
  const tool = random.chance(0.95) ? random.pick(Object.keys(TOOLS)) : oddText(random)
  const own = Object.hasOwn(TOOLS, tool) ? TOOLS[tool]! : []
  const names = random.chance(0.1) ? [...own, random.pick(Object.values(TOOLS).flat())] : own
  const given = names.filter(() => random.chance(0.5)).map((name) => `"${name}":${value(name)}`)
  const name = JSON.stringify(tool)
  return (
    `{"name":${name},"arguments":{${given.join()}},"uri":${JSON.stringify(oddText(random))},` +
    '"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}'
  )
}

const FIELDS = [
  'email',
  'password',
  'form_token',
  'name',
  'key',
  'account',
  'plan',
  'role',
  'from',
  'to',
  'amount',
  'token',
  'before',
  'day',
]

function otherDraft(random: Random, { others }: Surface, { people }: Actors): Draft {
  const path = random.pick(others)
  const isForm = random.chance(0.3) && !path.startsWith('/assets')
  const token = people.length > 0 ? random.pick(people).token : ''
  const pairs = FIELDS.filter(() => random.chance(0.4)).map((name) => {
    const value = name === 'form_token' && random.chance(0.7) ? token : oddText(random)
    return `${name}=${encoded(value)}`
  })
  const query =
    !isForm && random.chance(0.4) ? `${path.includes('?') ? '&' : '?'}${pairs.join('&')}` : ''
  return {
    method: isForm ? 'POST' : 'GET',
    target: path + query,
    headers: isForm ? [['content-type', 'application/x-www-form-urlencoded']] : [],
    body: isForm ? pairs.join('&') : null,
    kind: kindOf(path),
  }
}

/** Adds the caller, the requested format and the headers: mostly valid ones. */
function dress(random: Random, draft: Draft, { keys, people }: Actors): void {
  const add = (name: string, value: string) => draft.headers.push([name, value])
  const who = random.unit()
  if (draft.kind === 'page') {
    if (people.length > 0 && who < 0.6) add('cookie', random.pick(people).cookie)
    else if (who < 0.7) add('cookie', `corridor.session=${oddText(random)}; ${oddText(random)}`)
    if (draft.method === 'POST' && random.chance(0.9))
      add('sec-fetch-site', random.pick(['same-origin', 'cross-site']))
  } else if (who < 0.85) add('x-api-key', random.pick(keys))
  else if (who < 0.92) add('x-api-key', oddText(random))
  if (who < 0.02) add('x-api-key', random.pick(keys))
  if (draft.body !== null && !draft.headers.some(([name]) => name === 'content-type'))
    add('content-type', random.chance(0.9) ? 'application/json' : random.pick(TYPES))
  if (random.chance(0.2))
    add(
      'accept',
      random.pick([
        '*/*',
        'text/csv',
        'application/x-ndjson',
        'text/html',
        'text/csv;q=0',
        ',',
        oddText(random),
      ]),
    )
  if (random.chance(0.1))
    add('if-none-match', random.pick(['*', '""', 'W/"x"', '"a", "b"', oddText(random)]))
  if (random.chance(0.1)) add('x-request-id', oddText(random))
  if (random.chance(0.1))
    add(
      'x-forwarded-for',
      random.pick(['1.2.3.4', '::1', 'x', '1.2.3.4, 5.6.7.8', oddText(random)]),
    )
  if (random.chance(0.05)) add('idempotency-key', oddText(random))
  if (random.chance(0.05))
    add('origin', random.pick(['null', 'https://evil.example', oddText(random)]))
  if (random.chance(0.05)) add('traceparent', oddText(random))
  if (random.chance(0.03)) add('authorization', `Bearer ${oddText(random)}`)
  if (random.chance(0.03)) add('range', random.pick(['bytes=0-0', 'bytes=9-1', oddText(random)]))
  if (random.chance(0.03)) add('accept-encoding', random.pick(['gzip', 'identity;q=0', 'x']))
  if (random.chance(0.02))
    add(
      random.pick(['content-encoding', 'x-http-method-override', 'forwarded', 'te', 'upgrade']),
      oddText(random),
    )
}

/** A path as an attacker might write it. */
function bentPath(random: Random, target: string): string {
  const [path = '', query] = target.split('?')
  const bent = random.pick([
    () => `${path}/`,
    () => `/${path}`,
    () => path.toUpperCase(),
    () => path.replaceAll('/', '//'),
    () => `${path}/../../../../etc/passwd`,
    () => `/assets/..%2f..%2fpackage.json`,
    () => `/assets/%2e%2e/%2e%2e/package.json`,
    () => `/flags/../../../package.json`,
    () =>
      path.replace(/(?<=.)./g, (one) =>
        random.chance(0.3) ? `%${one.charCodeAt(0).toString(16)}` : one,
      ),
    () => `${path}%00.json`,
    () => `${path}/${encoded(oddText(random))}`,
    () => `/${encoded(oddText(random))}`,
    () => `${path};x=1`,
    () => `http://other.example${path}`,
  ])()
  return query === undefined ? bent : `${bent}?${query}`
}

/** Ways of distorting a request until it is not HTTP. */
const BREAKS: ((text: string, random: Random) => string)[] = [
  (text) => text.replace('HTTP/1.1', 'HTTP/9.9'),
  (text) => text.replace(' HTTP/1.1', ''),
  (text) => text.replace(/^[A-Z]+/, 'G@T'),
  (text) => text.replace(/^[A-Z]+/, 'get'),
  (text) => text.replace(/host: .*\r\n/i, ''),
  (text) => text.replace(/host: (.*)\r\n/i, 'Host: $1\r\nHost: other.example\r\n'),
  (text) => text.replace('\r\n', '\r\nContent-Length: -1\r\n'),
  (text) => text.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
  (text) => text.replace('\r\n', '\r\nContent-Length: 3\r\nContent-Length: 9\r\n'),
  (text) => text.replace('\r\n', '\r\nno colon at all\r\n'),
  (text) => text.replace('\r\n', '\r\n: nameless\r\n'),
  (text) => text.replace('\r\n', '\r\nX-Bad: a\0b\r\n'),
  (text) => text.replace('\r\n', `\r\nX-Long: ${'a'.repeat(20_000)}\r\n`),
  (text, random) => text.slice(0, random.below(text.length)).replaceAll('\r\n\r\n', '\r\n'),
  (text, random) => oddText(random) + text,
]

/** By the path without dot segments, as the runtime passes it on. */
function kindOf(target: string): Kind {
  const sent = target.replace(/^http:\/\/[^/]*/, '')
  const path = URL.parse(`http://localhost${sent}`)?.pathname ?? sent
  if (path.startsWith('/api/v1/')) return 'api'
  if (path.startsWith('/compat/')) return 'compat'
  return /^\/mcp\/?$/.test(path) ? 'mcp' : 'page'
}

function written(random: Random, { method, target, headers, body }: Draft): Asked {
  const isBroken = random.chance(0.02)
  const lines = headers.map(([name, value]) => `${name}: ${visible(value)}`)
  const bytes = Buffer.from(body ?? '')
  if (body !== null || method === 'POST') lines.push(`content-length: ${bytes.length}`)
  const head = `${method} ${asciiOf(target)} HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}${lines.length ? '\r\n' : ''}\r\n`
  const sent = isBroken ? random.pick(BREAKS)(head, random) : head
  return {
    bytes: Buffer.concat([Buffer.from(sent, isBroken ? 'utf8' : 'latin1'), bytes]),
    kind: kindOf(target),
    isHead: method === 'HEAD',
    isSound: !isBroken && head.length < 15_000,
  }
}

/** Characters that a header may hold. */
const visible = (text: string): string =>
  text
    .replace(/[^\x20-\x7e\x80-\xff]/g, '')
    .trim()
    .slice(0, 3000)

/** Characters that a request line may hold. */
const asciiOf = (text: string): string =>
  text.replace(/[^\x21-\x7e]/gu, (one) => encoded(one)).slice(0, 12_000)
