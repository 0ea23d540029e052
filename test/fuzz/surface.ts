/** Possible requests: the operations of the API's description, and other paths. */
export type Surface = {
  readonly operations: readonly Operation[]
  /** Paths outside the description: linked and well-known ones. */
  readonly others: readonly string[]
}

export type Operation = {
  readonly path: string
  readonly method: string
  readonly parameters: readonly Parameter[]
  /** Fields of a body, with initial values; null without a body. */
  readonly body: Readonly<Record<string, string>> | null
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  /** Says whether a request is refused without it, as far as the description says. */
  readonly isNeeded: boolean
  /** Valid values by the schema. */
  readonly good: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: a description, as it was fetched
type Json = any

const PATHS = [
  '/',
  '/corridors',
  '/send',
  '/send/united-kingdom-to-ghana?amount=200&pay_in=cash',
  '/send/united-kingdom-to-ghana?amount=200&known_at=2026-03-05T14:00:00Z',
  '/corridors/USD/KES?known_at=2026-03-05T14:00:00Z',
  '/providers',
  '/data',
  '/ranking?of=pairs&order=lowest&source=GB&target=GH',
  '/ranking.csv?of=providers',
  '/data/prices.csv?quarter=2026-Q1&until=2026-03-31&edition=1',
  '/ranking.svg',
  '/ranking.png',
  '/providers/wise',
  '/embed?source=GB&target=GH&amount=200',
  '/pictures/united-kingdom-to-ghana.png',
  '/sitemap.xml',
  '/developer',
  '/developer/key',
  '/sign-up',
  '/sign-in',
  '/sign-out',
  '/mailed',
  '/confirm',
  '/forgotten',
  '/reset',
  '/sign-in/second-step',
  '/sign-in/passkey',
  '/sign-in/passkey/options',
  '/confirm-address',
  '/privacy',
  '/alerts/new',
  '/alerts/subscribe?token=x',
  '/alerts/end?token=x',
  '/fr/alerts/new',
  '/ar/send/united-kingdom-to-ghana?amount=200',
  '/language',
  '/developer/prices',
  '/developer/prices/preview',
  '/developer/prices/record',
  '/developer/prices/upload',
  '/developer/prices/withdraw',
  '/developer/prices/template.xlsx',
  '/verify',
  '/methodology',
  '/methodology/1',
  '/how-we-reckon',
  '/developer/profile',
  '/developer/profile/password',
  '/developer/profile/address',
  '/developer/profile/session',
  '/developer/profile/data.json',
  '/developer/profile/delete',
  '/developer/second-factor',
  '/developer/second-factor/app',
  '/developer/second-factor/app/confirm',
  '/developer/second-factor/codes',
  '/developer/second-factor/passkey',
  '/developer/second-factor/passkey/options',
  '/developer/second-factor/remove',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/register',
  '/oauth/revoke',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/http-message-signatures-directory',
  '/log/checkpoint',
  '/log/tile/0/000',
  '/log/tile/entries/x000/000.p/1',
  '/operator',
  '/operator/accounts',
  '/operator/account',
  '/operator/key',
  '/operator/providers',
  '/operator/log',
  '/docs',
  '/openapi.json',
  '/postman.json',
  '/llms.txt',
  '/healthz',
  '/readyz',
  '/metrics',
  '/mcp',
  '/files/2026-03-04.csv.gz',
  '/files/2026-02.parquet',
  '/files/index.json',
  '/flags/ke.svg',
  '/flags/zz.svg',
  '/compat/no-key/plain/rate/USD/KES.txt',
  '/compat/plain/rate/USD/KES/2026-03-01.txt?kind=official&bank=cbk',
  '/compat/frankfurter/v1/2026-03-01..2026-03-05?base=USD&symbols=KES&amount=2',
  '/compat/frankfurter/v2/rates?base=USD&quotes=KES&from=2026-03-01&group=week',
  '/compat/openexchangerates/api/latest.json?base=USD&symbols=KES&app_id=x',
  '/compat/exchangerate-host/timeframe?currencies=KES&start_date=2026-03-01&end_date=2026-03-05',
  '/compat/fixer/2026-03-01?base=USD&symbols=KES',
  '/compat/currency-api/latest/v1/currencies/usd.min.json',
  '/compat/ecb/eurofxref-hist-90d.xml',
  '/assets/',
  '/assets/market.css',
  '/favicon.ico',
  '/manifest.webmanifest',
  '/icons/192.png',
  '/robots.txt',
  '/worker.js',
  '/api/v1',
  '/api/v1/',
  '/api',
  '/.env',
  '/.git/config',
  '/package.json',
  '/wp-login.php',
]

/**
 * Reads the description of a running service, and the links of its pages. The `{id}` of a path is
 * replaced by one of `alerts`.
 */
export async function surfaceOf(origin: string, alerts: readonly string[]): Promise<Surface> {
  const document: Json = await (await fetch(`${origin}/openapi.json`)).json()
  const base = new URL(document.servers?.[0]?.url ?? '/', origin).pathname.replace(/\/$/, '')
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, operation]) =>
        operationOf(document, { path: base + path, method, operation }),
      ),
  )
  const known = operations.map((operation) => withIds(operation, alerts))
  const pages = await Promise.all(
    ['/', '/corridors', '/send', '/providers', '/sign-up', '/docs'].map(async (path) =>
      (await fetch(origin + path)).text(),
    ),
  )
  const links = pages.flatMap((html) => [...html.matchAll(/(?:href|src)="(\/[^"#]*)"/g)])
  const linked = links.map(([, link]) => link!.replaceAll('&amp;', '&'))
  return { operations: known, others: [...new Set([...PATHS, ...linked])] }
}

const withIds = (operation: Operation, ids: readonly string[]): Operation => ({
  ...operation,
  parameters: operation.parameters.map((parameter) =>
    parameter.in === 'path' && parameter.name === 'id' ? { ...parameter, good: ids } : parameter,
  ),
})

type Found = { path: string; method: string; operation: Json }

function operationOf(document: Json, { path, method, operation }: Found): Operation {
  const resolved = (value: Json): Json =>
    value?.$ref ? resolved(pointed(document, value.$ref)) : value
  const parameters = (operation.parameters ?? []).map(resolved).map((parameter: Json) => ({
    name: parameter.name,
    in: parameter.in,
    isNeeded: parameter.required || parameter.example !== undefined,
    good: goodValues(resolved(parameter.schema), parameter),
  }))
  const content = operation.requestBody?.content?.['application/json']
  const schema = resolved(content?.schema)
  return {
    path,
    method: method.toUpperCase(),
    parameters,
    body: schema ? members(schema, { resolved, shown: shownIn(content) }) : null,
  }
}

const pointed = (document: Json, pointer: string): Json =>
  pointer
    .slice(2)
    .split('/')
    .reduce((value, name) => value[name], document)

function goodValues(schema: Json, parameter: Json): string[] {
  const options: Json[] = schema?.anyOf ?? [schema]
  const values = options.flatMap((option) => [
    ...(option?.enum ?? []),
    ...(option?.examples ?? []),
    ...(option?.const === undefined ? [] : [option.const]),
    ...(option?.default === undefined ? [] : [option.default]),
  ])
  const shown = parameter.example === undefined ? [] : [parameter.example]
  const all = [...values, ...shown, ...(schema?.examples ?? [])].map(String)
  return all.length > 0 ? [...new Set(all)] : ['1']
}

/** The fields of the example bodies; the first body that has a field gives its value. */
const shownIn = ({ examples = {} }: Json): Json =>
  Object.assign(
    {},
    ...Object.values<Json>(examples)
      .map(({ value }) => value)
      .reverse(),
  )

type Reading = { resolved: (value: Json) => Json; shown: Json }

/** The fields of one row of a body, with a JSON value for each. */
function members(schema: Json, { resolved, shown }: Reading): Record<string, string> {
  const options: Json[] = (schema.anyOf ?? schema.oneOf ?? [schema]).map(resolved)
  const row = options.find(({ properties }) => properties) ?? resolved(options[0]?.items)
  const found: Record<string, string> = {}
  for (const [name, property] of Object.entries<Json>(row?.properties ?? {})) {
    const { examples, anyOf } = resolved(property)
    const first =
      examples?.[0] ?? anyOf?.map(resolved).find((one: Json) => one.examples)?.examples[0]
    found[name] = JSON.stringify(first ?? shown[name] ?? 1)
  }
  return found
}
