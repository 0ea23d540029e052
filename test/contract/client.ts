import createClient from 'openapi-fetch'
import type { paths } from './client-paths.ts'

type ClientOptions = { baseUrl: string; key: string; fetch(request: Request): Promise<Response> }

/** Lists are comma-separated, which openapi-fetch cannot take from types. */
const querySerializer = { array: { style: 'form', explode: false } } as const

/** What a program says that talks to the service through types made of the document. */
export const clientOf = ({ baseUrl, key, fetch }: ClientOptions) =>
  createClient<paths, 'application/json'>({
    baseUrl,
    fetch,
    headers: { 'X-API-Key': key },
    querySerializer,
  })

type Client = ReturnType<typeof clientOf>

const corridor = { from: 'USD', to: 'KES' }

/** Calls every operation; each answer's HTTP status, and a value that its type knows. */
export async function everyCall(client: Client): Promise<[status: number, value: unknown][]> {
  return [
    ...(await livePrices(client)),
    ...(await pairs(client)),
    ...(await past(client)),
    ...(await countries(client)),
    ...(await others(client)),
  ]
}

async function livePrices(client: Client): Promise<[number, unknown][]> {
  const rates = await client.GET('/rates', { params: { query: corridor } })
  const convert = await client.GET('/convert', { params: { query: { ...corridor, amount: 200 } } })
  const provider = await client.GET('/rates/provider', {
    params: { query: { provider: 'retail-a' } },
  })
  return [
    [rates.response.status, rates.data?.providers[0]?.spread_bps],
    [convert.response.status, convert.data?.best?.net_converted],
    [provider.response.status, provider.data?.provider.rate_type],
  ]
}

async function pairs(client: Client): Promise<[number, unknown][]> {
  const one = await client.GET('/fetch-one', { params: { query: corridor } })
  const multi = await client.GET('/fetch-multi', {
    params: { query: { from: 'USD', to: ['KES', 'NGN'] } },
  })
  const matrix = await client.GET('/fetch-matrix', {
    params: { query: { from: ['USD', 'GBP'], to: ['KES', 'NGN'] } },
  })
  const many = await client.GET('/fetch-many-to-one', {
    params: { query: { from: ['USD', 'GBP'], to: 'KES' } },
  })
  return [
    [one.response.status, one.data?.provider_best?.provider_id],
    [multi.response.status, multi.data?.results.NGN?.mid],
    [matrix.response.status, matrix.data?.results.GBP?.KES?.mid],
    [many.response.status, many.data?.results.GBP?.mid],
  ]
}

async function past(client: Client): Promise<[number, unknown][]> {
  const history = await client.GET('/rates/history', {
    params: { query: { ...corridor, period: '7d', order: 'desc', limit: 10 } },
  })
  const series = await client.GET('/time-series', {
    params: { query: { ...corridor, interval: 'P1D', period: '7d' } },
  })
  const historical = await client.GET('/historical', {
    params: { query: { ...corridor, date: '2026-03-04' } },
  })
  const change = await client.GET('/change', { params: { query: { ...corridor, period: '30d' } } })
  return [
    [history.response.status, history.data?.has_more],
    [series.response.status, series.data?.data[0]?.samples],
    [historical.response.status, historical.data?.date],
    [change.response.status, change.data?.end.at],
  ]
}

async function countries(client: Client): Promise<[number, unknown][]> {
  const costs = await client.GET('/costs', {
    params: { query: { source_country: 'GB', target_country: 'KE', amount: 200 } },
  })
  const all = await client.GET('/countries', {})
  return [
    [costs.response.status, costs.data?.count],
    [all.response.status, all.data?.countries[0]?.code],
  ]
}

async function others(client: Client): Promise<[number, unknown][]> {
  const currencies = await client.GET('/currencies', {})
  const corridors = await client.GET('/corridors', {})
  const providers = await client.GET('/providers', {})
  const recorded = await client.POST('/rates', {
    body: [{ provider_id: 'retail-a', ...corridor, rate: 129.5, fee: null }],
    params: { header: { 'Idempotency-Key': 'batch-17' } },
  })
  const usage = await client.GET('/admin/usage', {})
  const status = await client.GET('/status', {})
  return [
    [currencies.response.status, currencies.data?.currencies[0]?.type],
    [corridors.response.status, corridors.data?.corridors[0]?.best_rate],
    [providers.response.status, providers.data?.providers[0]?.rate_type],
    [recorded.response.status, recorded.data?.inserted],
    [usage.response.status, usage.data?.keys_today[0]?.requests],
    [status.response.status, status.data?.mid_feed.source],
  ]
}

/** A failure is told apart by its code, and each code has members of its own. */
export async function supportedCurrencies(client: Client): Promise<string[]> {
  const { error } = await client.GET('/rates', { params: { query: { from: 'USD', to: 'XXX' } } })
  if (error?.code === 'unsupported_currency') return error.supported_currencies
  return []
}
