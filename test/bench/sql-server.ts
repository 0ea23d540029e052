import { keyHashOf } from '~/domain/api-key.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Currency } from '~/domain/currency.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { noState } from '~/domain/feed/state.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { crossMid, joinedSources, type Mid, type Reference } from '~/domain/mid.ts'
import { ALL_SAID } from '~/domain/offer/filter.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import { dayMidsOf, legsOf, type Probe } from '~/domain/price/day-mids.ts'
import { suspicionOf } from '~/domain/price/suspect.ts'
import type { Provider } from '~/domain/provider.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { type CorridorView, corridorView } from '~/memory/corridor-view.ts'
import { converted } from '~/service/convert.ts'
import type { Matrix } from '~/service/fetch.ts'
import type { ProviderQuote } from '~/service/provider-rates.ts'
import { connect, type Database } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'
import { presentConvert } from '~/wire/convert.ts'
import {
  presentFetchManyToOne,
  presentFetchMatrix,
  presentFetchMulti,
  presentFetchOne,
} from '~/wire/fetch.ts'
import { iso, presentFreshness } from '~/wire/present.ts'
import { presentProviderRates } from '~/wire/provider-rates.ts'
import { presentRates } from '~/wire/rates.ts'
import { presentStatus } from '~/wire/status/status.ts'

/**
 * The product's responses by SQL on each request: the product's tables with one more index,
 * prepared statements, those of one request sent at once. In its favour it checks no key, counts no
 * quota, knows one tier and sends no headers of its own.
 */
const sql = connect((await Bun.stdin.text()).trim())
await sql`create index if not exists bench_provider on provider_corridors (provider_id)`

type Query = URLSearchParams
type Named = { readonly name: string; readonly provider_type: Provider['providerType'] }
type LiveRow = QuoteRow & Named & { readonly transfer_time: string | null } & DayColumns
/** Value of a dollar in each leg when the quote took effect; null if unknown. */
type DayColumns = Record<'from_per_usd' | 'from_at_ms' | 'to_per_usd' | 'to_at_ms', string | null>

type CurrencyRow = Pick<Currency, 'code' | 'kind'> & { peg_to: string | null; peg_rate: string }
const currencyRows = await sql<CurrencyRow[]>`select code, kind, peg_to, peg_rate from currencies`
/** Read once, since a catalogue seldom changes. */
const anchors = new Anchors(
  currencyRows.map(({ code, kind, peg_to: to, peg_rate: rate }) => {
    return { code, kind, peg: to === null ? null : { to, rate: Number(rate) } }
  }),
)

const newest = sql`
  select * from observations where provider_corridor_id = p.id
  order by effective_from desc, id desc limit 1`

const providerOf = (row: LiveRow): Provider => ({
  id: row.provider_id,
  name: row.name,
  providerType: row.provider_type,
  rateType: row.rate_type,
  transferTime: row.transfer_time,
  ...{ logoUrl: null, websiteUrl: null, region: null, paymentMethods: null, isActive: true },
})

async function liveView(from: string, to: string): Promise<CorridorView> {
  const rows = await sql<LiveRow[]>`
    select ${quoteColumns(sql)}, pr.name, pr.provider_type, pr.transfer_time,
      a.per_usd as from_per_usd, a.at_ms as from_at_ms, b.per_usd as to_per_usd, b.at_ms as to_at_ms
    from corridors c
    join provider_corridors p on p.corridor_id = c.id
    join providers pr on pr.id = p.provider_id and pr.is_active
    cross join lateral (${newest}) o
    ${withOffer(sql, sql`p.corridor_id`)}
    left join lateral (${saidThen(from)}) a on true
    left join lateral (${saidThen(to)}) b on true
    where c.source = ${from} and c.target = ${to}`
  return corridorView(
    rows.map((row) => {
      const quote = quoteOf(row)
      const mids = dayMidsOf(quote, dayOf(row, { from, to }))
      const suspect = suspicionOf(quote, { ...mids, mid: null }, SUSPECT_PCT)
      return { quote, provider: providerOf(row), ...mids, suspect }
    }),
    Date.now() - STALE_AFTER_MS,
  )
}

/** Last value of a leg's anchor when quote `o` took effect. */
const saidThen = (code: string) => sql`
  select per_usd, extract(epoch from fetched_at) * 1000 as at_ms from reference_rates
  where currency = ${anchors.of(code) ?? ''} and fetched_at <= o.effective_from
  order by fetched_at desc, id desc limit 1`

function dayOf(row: LiveRow, { from, to }: Corridor) {
  const leg = (code: string, perUsd: string | null, atMs: string | null): [string, Reference][] => {
    const currency = anchors.of(code)!
    const said = { id: 0, atMs: Number(atMs), currency, perUsd: Number(perUsd), source: '' }
    return perUsd === null ? [] : [[currency, said]]
  }
  const known = new Map([
    ...leg(from, row.from_per_usd, row.from_at_ms),
    ...leg(to, row.to_per_usd, row.to_at_ms),
  ])
  const referenceAt = ({ currency }: Probe) => known.get(currency)
  return { anchors, referenceAt, maxAgeMs: MID_MAX_AGE_MS }
}

const STALE_AFTER_MS = 7 * DAY_MS
const SUSPECT_PCT = 10
/** The setting of the service that it is compared with. */
const MID_MAX_AGE_MS = 240 * HOUR_MS

const agedOf = (row: QuoteRow): ProviderQuote => {
  const quote = quoteOf(row)
  const isStale = quote.atMs < Date.now() - STALE_AFTER_MS
  return { quote, isStale, suspect: null, unspecified: ALL_SAID }
}

async function references(codes: readonly string[]): Promise<Map<string, Reference>> {
  const atMs = Date.now()
  const probes = legsOf(codes, anchors).map((currency) => ({ currency, atMs }))
  const answers = await referencesAt({ sql } as Database, probes)
  const found = new Map(answers.map(({ currency, reference }) => [currency, reference]))
  return new Map(
    codes.flatMap((code) => {
      const anchor = found.get(anchors.of(code) ?? '')
      return anchor ? [[code, anchors.reference(code, anchor)]] : []
    }),
  )
}

const DOLLAR: Reference = { id: 0, atMs: 0, currency: 'USD', perUsd: 1, source: '' }

function midOf(known: Map<string, Reference>, from: string, to: string): Mid | null {
  const [a, b] = [from, to].map((code) => (code === 'USD' ? DOLLAR : known.get(code)))
  return a && b && a !== b ? crossMid(a, b) : null
}

async function priced(query: Query) {
  const [from, to] = [query.get('from')!, query.get('to')!]
  const [view, known] = await Promise.all([liveView(from, to), references([from, to])])
  return { corridor: { from, to }, view, mid: midOf(known, from, to) }
}

async function rates(query: Query) {
  const { corridor, view, mid } = await priced(query)
  const quotes = view.quotes.map((ranked) => ({
    ranked,
    vsMidBps: mid && vsMidBps(ranked.quote.rate, mid.rate),
  }))
  return presentRates({ corridor, mid, quotes, absence: null }, realtime())
}

async function convert(query: Query) {
  const amount = Number(query.get('amount'))
  const { corridor, view, mid } = await priced(query)
  const { offers } = view
  const plain = { selection: UNSELECTED, absence: null, feeMids: new Map() }
  const prices = { corridor, mid, offers, ...plain }
  return presentConvert(converted({ prices, goal: { amount, recipientGets: null } }), realtime())
}

async function matrix(query: Query): Promise<Matrix> {
  const [bases, quotes] = ['from', 'to'].map((name) => query.get(name)!.split(',')) as [
    string[],
    string[],
  ]
  const [rows, known] = await Promise.all([
    sql<QuoteRow[]>`
      select distinct on (c.source, c.target) ${quoteColumns(sql)}
      from corridors c
      join provider_corridors p on p.corridor_id = c.id
      join providers pr on pr.id = p.provider_id and pr.is_active
      cross join lateral (${newest}) o
      ${withOffer(sql, sql`p.corridor_id`)}
      where c.source = any(${bases}) and c.target = any(${quotes})
        and o.rate_type in ('retail', 'p2p', 'interbank')
      order by c.source, c.target, o.rate desc, o.effective_from desc, p.provider_id`,
    references([...bases, ...quotes]),
  ])
  const best = new Map(rows.map((row) => [`${row.source}/${row.target}`, agedOf(row)]))
  const mids = bases.map((base) => quotes.map((quote) => midOf(known, base, quote)))
  const found = mids.flat().filter((mid) => mid !== null)
  const pairs = bases.map((base, i) =>
    quotes.map((quote, j) => ({
      mid: base === quote ? 1 : (mids[i]![j]?.rate ?? null),
      backing: base === quote ? null : (mids[i]![j] ?? null),
      best: best.get(`${base}/${quote}`) ?? null,
    })),
  )
  return {
    bases,
    quotes,
    pairs,
    reference:
      found.length === 0
        ? null
        : {
            source: joinedSources(found.map(({ source }) => source)),
            atMs: Math.min(...found.map(({ atMs }) => atMs)),
          },
    unpriced: [],
    stale: pairs.flat().flatMap(({ best }) => (best?.isStale ? [best.quote] : [])),
    tooOld: [],
  }
}

async function providerRates(query: Query) {
  const id = query.get('provider')!
  const [[provider], rows] = await Promise.all([
    sql<[Provider]>`
      select id, name, provider_type as "providerType", rate_type as "rateType", region,
        transfer_time as "transferTime", website_url as "websiteUrl"
      from providers where id = ${id} and is_active`,
    sql<QuoteRow[]>`
      select ${quoteColumns(sql)}
      from provider_corridors p
      join corridors c on c.id = p.corridor_id
      join currencies a on a.code = c.source and a.is_active
      join currencies b on b.code = c.target and b.is_active
      cross join lateral (${newest}) o
      ${withOffer(sql, sql`p.corridor_id`)}
      where p.provider_id = ${id}
      order by c.source, c.target`,
  ])
  return presentProviderRates({ provider, quotes: rows.map(agedOf), absence: null }, realtime())
}

const liveCorridors = sql`
  select c.id, c.source, c.target from corridors c
  join currencies a on a.code = c.source and a.is_active
  join currencies b on b.code = c.target and b.is_active
  where exists (
    select from provider_corridors p join providers pr on pr.id = p.provider_id and pr.is_active
    cross join lateral (${newest}) o where p.corridor_id = c.id)`

async function corridors() {
  const rows = await sql`
    with live as (
      select c.source, c.target, o.rate, o.effective_from,
        o.rate_type in ('retail', 'p2p', 'interbank') as is_executable,
        max(o.rate) over (partition by c.id, o.rate_type) as best_of_kind
      from (${liveCorridors}) c
      join provider_corridors p on p.corridor_id = c.id
      join providers pr on pr.id = p.provider_id and pr.is_active
      cross join lateral (${newest}) o
    )
    select source, target, count(*)::int as quotes,
      max(rate) filter (where is_executable)::float8 as best,
      extract(epoch from max(effective_from))::float8 * 1000 as at_ms,
      extract(epoch from (array_agg(effective_from order by rate desc, effective_from desc)
        filter (where is_executable))[1])::float8 * 1000 as best_at_ms,
      avg((best_of_kind - rate) / best_of_kind * 10000) filter (where is_executable)::float8 as spread
    from live group by source, target order by source, target`
  return {
    corridors: rows.map((row) => ({
      from: row.source,
      to: row.target,
      provider_count: row.quotes,
      best_rate: row.best && roundAmount(row.best),
      best_is_stale: row.best && row.best_at_ms < Date.now() - STALE_AFTER_MS,
      best_last_updated: row.best && iso(row.best_at_ms),
      last_updated: iso(row.at_ms),
      avg_spread_bps: row.spread === null ? null : Math.round(row.spread * 1e4) / 1e4,
    })),
    count: rows.length,
    ...presentFreshness(realtime()),
  }
}

async function currencies() {
  const [active, live] = await Promise.all([
    sql`
      select code, name, type, flag_url, is_active, sort_order
      from currencies where is_active order by sort_order, code`,
    sql`select source as "from", target as "to" from (${liveCorridors}) live order by 1, 2`,
  ])
  return {
    currencies: active,
    corridors: live,
    currency_count: active.length,
    corridor_count: live.length,
    timestamp: iso(Date.now()),
  }
}

async function status() {
  const [[counts], [feed]] = await Promise.all([
    sql`
      select (select count(*) from (${liveCorridors}) live)::int as corridors,
        (select count(*) from providers where is_active)::int as providers,
        (select extract(epoch from max(o.effective_from))::float8 * 1000
          from provider_corridors p cross join lateral (${newest}) o) as at_ms`,
    sql`
      select source, extract(epoch from fetched_at)::float8 * 1000 as at_ms
      from reference_snapshots order by fetched_at desc, id desc limit 1`,
  ])
  const of = {
    corridorCount: counts!.corridors,
    providerCount: counts!.providers,
    lastRateMs: counts!.at_ms,
    feed: feed ? { ...DOLLAR, source: feed.source, atMs: feed.at_ms } : null,
    isMidRecent: true,
    feeds: noState,
    sources: [],
    connectors: [],
    doubtfulPegs: [],
    doubtfulMids: [],
  }
  return presentStatus(of, { nowMs: Date.now(), sample: null })
}

/** Looks up a key and its account's usage of today, and refuses as the service would. */
async function refused(key: string): Promise<Response> {
  const [found] = await sql`
    select a.id, sum(u.requests)::int as used
    from keys k
    join accounts a on a.id = k.account_id
    left join usage u on u.account_id = a.id and u.day = (now() at time zone 'UTC')::date
    where k.hash = ${keyHashOf(key)} and k.revoked_at is null
    group by a.id`
  return found
    ? Response.json({ error: OVER_QUOTA, code: 'quota_exceeded' }, { status: 429 })
    : Response.json({ error: NO_KEY, code: 'invalid_key' }, { status: 401 })
}

const OVER_QUOTA = 'all requests of today are used; wait for the reset at the next UTC midnight'
const NO_KEY = 'this API key is not valid; check that the whole key was copied'

const realtime = () => freshnessAt('realtime', Date.now())

const ANSWERS: Record<string, (query: Query) => Promise<unknown>> = {
  '/api/v1/rates': rates,
  '/api/v1/convert': convert,
  '/api/v1/fetch-one': async (query) => presentFetchOne(await matrix(query), realtime()),
  '/api/v1/fetch-multi': async (query) => presentFetchMulti(await matrix(query), realtime()),
  '/api/v1/fetch-many-to-one': async (query) =>
    presentFetchManyToOne(await matrix(query), realtime()),
  '/api/v1/fetch-matrix': async (query) => presentFetchMatrix(await matrix(query), realtime()),
  '/api/v1/rates/provider': providerRates,
  '/api/v1/corridors': corridors,
  '/api/v1/currencies': currencies,
  '/api/v1/status': status,
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  async fetch({ url, headers }) {
    const { pathname, searchParams } = new URL(url)
    if (pathname === '/refused') return refused(headers.get('x-api-key')!)
    return Response.json(await ANSWERS[pathname]!(searchParams))
  },
})
process.stdout.write(`${server.port}\n`)
