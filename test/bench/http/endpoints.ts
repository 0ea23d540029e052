import { BASE_PATH } from '~/http/path.ts'
import { newKey } from '~/runtime/new-key.ts'
import type { Market } from './market.ts'
import { ASKED_PAY_OUT } from './offers.ts'
import type { Scene } from './scene.ts'

export type Goal = { readonly ofBare?: number; readonly overSql?: number }

export type Endpoint = {
  readonly name: string
  readonly goal: Goal
  readonly method: 'GET' | 'POST'
  /** With the query; `{amount}` in it is replaced by another number in each request. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** Path of the SQL server; null if it does not serve this one. */
  readonly sqlPath: string | null
}

export const AMOUNT = '{amount}'

/**
 * Range of amounts in cents, and the step between two consecutive ones: each appears once,
 * shuffled.
 */
export const CENTS_RANGE = 100_000_000
export const CENTS_STEP = 23_606_797

const EDGE: Goal = { ofBare: 0.75, overSql: 10 }
const WHOLE: Goal = { ofBare: 0.75, overSql: 12 }
const LIST: Goal = { ofBare: 0.65, overSql: 12 }

type Asked = Pick<Scene, 'keys' | 'market' | 'sources' | 'targets'> & {
  /** Corridors with many offers. */
  readonly offers: Pick<Market, 'corridors'>
}

/** Requests to each server. */
export function endpointsOf({ keys, market, offers, sources, targets }: Asked): Endpoint[] {
  const [{ from, to }] = market.corridors as [{ from: string; to: string }]
  const pair = `from=${from}&to=${to}`
  const [offered] = offers.corridors as [{ from: string; to: string }]
  const manyOffers = `/convert?from=${offered.from}&to=${offered.to}`
  const filters = `&target_country=KE&pay_out=${ASKED_PAY_OUT}`
  const plain = { sqlPath: null }
  const get = (name: string, path: string, goal: Goal, more: Partial<Endpoint> = {}): Endpoint => ({
    ...{ name, goal, method: 'GET', path: BASE_PATH + path, status: 200 },
    sqlPath: BASE_PATH + path,
    headers: { 'X-API-Key': keys.realtime },
    ...more,
  })
  const hourly = { headers: { 'X-API-Key': keys.hourly }, sqlPath: null }
  const refused = (key: string, status: number) => ({
    ...{ headers: { 'X-API-Key': key }, status, sqlPath: '/refused' },
  })
  return [
    get('fetch-one', `/fetch-one?${pair}`, EDGE),
    get('fetch-one-hourly', `/fetch-one?${pair}`, EDGE, hourly),
    get('fetch-multi', `/fetch-multi?from=${from}&to=${targets.slice(0, 20)}`, LIST),
    get('fetch-many-to-one', `/fetch-many-to-one?from=${sources.slice(0, 20)}&to=${to}`, LIST),
    get('fetch-matrix', `/fetch-matrix?from=${sources.slice(0, 10)}&to=${targets.slice(0, 10)}`, {
      ofBare: 0.5,
      overSql: 20,
    }),
    get('convert', `/convert?${pair}&amount=${AMOUNT}`, { ofBare: 0.6, overSql: 12 }),
    get('convert-repeated', `/convert?${pair}&amount=250`, WHOLE),
    get('convert-hourly', `/convert?${pair}&amount=${AMOUNT}`, { ofBare: 0.6 }, hourly),
    get('convert-offers', `${manyOffers}&amount=${AMOUNT}`, {}, plain),
    get('convert-filtered', `${manyOffers}${filters}&amount=${AMOUNT}`, {}, plain),
    get('rates', `/rates?${pair}`, WHOLE),
    get('rates-hourly', `/rates?${pair}`, WHOLE, hourly),
    get('provider', '/rates/provider?provider=bench-7', WHOLE),
    get('corridors', '/corridors', WHOLE),
    get('currencies', '/currencies', WHOLE),
    get('status', '/status', EDGE, { headers: {} }),
    get('401', `/rates?${pair}`, EDGE, refused(newKey().key, 401)),
    get('429', `/rates?${pair}`, EDGE, refused(keys.spent, 429)),
    get(
      'compat',
      '',
      { ofBare: 0.6 },
      {
        path: `/compat/frankfurter/v2/rates?base=${from}`,
        sqlPath: null,
      },
    ),
    toolCall(keys.realtime, { from, to }),
  ]
}

function toolCall(key: string, corridor: { from: string; to: string }): Endpoint {
  const params = { name: 'get_rates', arguments: corridor }
  return {
    name: 'tools/call',
    goal: {},
    method: 'POST',
    path: '/mcp',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    status: 200,
    sqlPath: null,
  }
}

/** The request as `fetch` takes it. */
export function requestOf(origin: string, { method, path, headers, body }: Endpoint): Request {
  const url = origin + path.replace(AMOUNT, '481516.23')
  return new Request(url, { method, headers, ...(body !== undefined && { body }) })
}
