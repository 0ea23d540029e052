import { DAY_MS } from '~/domain/duration.ts'
import { CHANNELS, PAY_WAYS } from '~/domain/offer/terms.ts'
import { PERIODS } from '~/domain/period.ts'
import { INTERVALS } from '~/domain/series.ts'
import type { Random } from '../fuzz/random.ts'
import { CORRIDORS, momentBefore, PROVIDERS, UNQUOTED } from './market.ts'

type Parameters = Record<string, string | number>

/** A request that both databases get. */
export type Kind = {
  readonly name: string
  /** Number of requests of this kind for each one of a kind whose share is 1. */
  readonly share: number
  /** Pattern of a response that has prices. */
  readonly filled: RegExp
  /** Path and query, below the API if it begins with `/api`. */
  path(random: Random, nowMs: number): string
}

const api = (path: string, parameters: Parameters): string => `/api/v1${at(path, parameters)}`
const at = (path: string, parameters: Parameters): string =>
  `${path}?${new URLSearchParams(Object.entries(parameters).map(([k, v]) => [k, `${v}`]))}`

const COUNTED = /"count":[1-9]|\n./
const PRICED = /"best":(\{"|\d)|"provider_best":\{/

/** Every read of observations, current or past. */
export const KINDS: readonly Kind[] = [
  {
    ...{ name: 'GET /rates/history', share: 1, filled: COUNTED },
    path: (random, nowMs) => api('/rates/history', pageOf(random, nowMs)),
  },
  {
    ...{ name: 'GET /historical', share: 1, filled: COUNTED },
    path: (random, nowMs) =>
      api('/historical', {
        ...pairOf(random),
        date: dateOf(momentBefore(random, nowMs)),
        ...filtersOf(random),
        ...everyOffer(random),
        ...formatOf(random),
      }),
  },
  {
    ...{ name: 'GET /change', share: 1, filled: PRICED },
    path: (random) => api('/change', { ...pairOf(random), period: random.pick(PERIODS) }),
  },
  {
    ...{ name: 'GET /time-series', share: 1, filled: /"best":\d|,\d+,[1-9]\d*,/ },
    path: (random, nowMs) => api('/time-series', windowOf(random, nowMs)),
  },
  {
    ...{ name: 'GET /convert', share: 1, filled: PRICED },
    path: (random) =>
      api('/convert', {
        ...pairOf(random),
        [random.pick(['amount', 'recipient_gets'])]: random.pick([1, 100, 500.5, 20_000]),
        ...filtersOf(random),
        ...everyOffer(random),
        ...ageOf(random),
      }),
  },
  {
    ...{ name: 'GET /rates', share: 1, filled: COUNTED },
    path: (random) =>
      api('/rates', {
        ...pairOf(random),
        ...filtersOf(random),
        ...everyOffer(random),
        ...ageOf(random),
      }),
  },
  {
    ...{ name: 'GET /fetch-multi', share: 1, filled: PRICED },
    path: (random) =>
      api('/fetch-multi', {
        from: random.pick(CORRIDORS).from,
        to: [...new Set(random.some(8, () => random.pick(CORRIDORS).to))].join() || 'KES',
        ...ageOf(random),
      }),
  },
  {
    ...{ name: 'GET /corridors', share: 0.1, filled: COUNTED },
    path: (random) =>
      api('/corridors', { ...ageOf(random), ...(random.chance(0.3) && { by: 'country' }) }),
  },
  {
    ...{ name: 'the board, with its chart', share: 0.3, filled: /<svg/ },
    path: (random) =>
      at('/', { ...pairOf(random), period: random.pick(CHARTS), amount: random.pick([200, 500]) }),
  },
  {
    ...{ name: "the file of the board's chart", share: 0.5, filled: /,\d+(\.\d+)?\r\n/ },
    path: (random) => at('/board/series.csv', { ...pairOf(random), period: random.pick(CHARTS) }),
  },
  {
    ...{ name: 'the page of corridors, with trends', share: 0.1, filled: /<svg/ },
    path: (random) =>
      at('/corridors', {
        ...(random.chance(0.5) && { currency: random.pick(CORRIDORS).to }),
        ...(random.chance(0.5) && { sort: random.pick(['spread', 'age-desc', 'mid']) }),
        page: 1 + random.below(3),
      }),
  },
  {
    ...{ name: 'the file of a day', share: 0.03, filled: /./ },
    path: (random, nowMs) =>
      `/api/v1/files/${dateOf(momentBefore(random, nowMs - 2 * DAY_MS))}.csv.gz`,
  },
]

const CHARTS = ['7d', '30d', '90d', '1y']

function pairOf(random: Random): { from: string; to: string } {
  const { from, to } = random.pick(random.chance(0.05) ? UNQUOTED : CORRIDORS)
  return random.chance(0.04) ? { from: to, to: from } : { from, to }
}

function pageOf(random: Random, nowMs: number): Parameters {
  return {
    ...pairOf(random),
    period: random.pick(PERIODS),
    order: random.pick(['asc', 'desc']),
    limit: random.pick([1, 5, 20, 100, 500, 5000]),
    offset: random.chance(0.6) ? 0 : random.below(random.pick([10, 200, 2000])),
    ...(random.chance(0.7) && { until: new Date(momentBefore(random, nowMs)).toISOString() }),
    ...(random.chance(0.3) && { provider: random.pick(PROVIDERS).id }),
    ...filtersOf(random),
    ...formatOf(random),
  }
}

function windowOf(random: Random, nowMs: number): Parameters {
  const interval = random.pick(INTERVALS)
  const endMs = momentBefore(random, nowMs)
  const lengthMs = random.below(interval === 'P1D' ? 400 : 8) * DAY_MS
  return {
    ...{ ...pairOf(random), interval, ...formatOf(random) },
    ...(random.chance(0.3)
      ? { period: random.pick(PERIODS) }
      : {
          start: new Date(endMs - lengthMs).toISOString(),
          end: new Date(endMs).toISOString(),
        }),
  }
}

/** Mostly no filters. */
function filtersOf(random: Random): Parameters {
  const all: Parameters = {
    source_country: random.pick(['US', 'GB', 'FR']),
    target_country: random.pick(['KE', 'NG']),
    pay_in: random.pick(PAY_WAYS),
    pay_out: random.pick(['mobile_money', 'cash']),
    channel: random.pick(CHANNELS),
    delivery_max: random.pick(['PT30M', 'P1D', 'P3D']),
  }
  const names = Object.keys(all).filter(() => random.chance(0.07))
  return Object.fromEntries(names.map((name) => [name, all[name]!]))
}

const everyOffer = (random: Random): Parameters => (random.chance(0.3) ? { offers: 'all' } : {})
const ageOf = (random: Random): Parameters =>
  random.chance(0.2) ? { max_age: random.pick(['1h', '7d', '90d']) } : {}
const formatOf = (random: Random): Parameters =>
  random.chance(0.1) ? { format: random.pick(['csv', 'ndjson']) } : {}
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
