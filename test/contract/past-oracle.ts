import type { Evidence } from '~/domain/price/evidence.ts'
import type { Provider, RateType } from '~/domain/provider.ts'
import type { Database } from '~/store/database.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const DAYS: Record<string, number> = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 }
const KINDS: RateType[] = ['retail', 'p2p', 'interbank', 'official', 'parallel']

export type Said = {
  id: number
  at: number
  provider: string
  pair: string
  rate: number
  fee: number | null
  feeCurrency: string | null
  kind: RateType
  evidence: Evidence
}

export type Fixing = { id: number; at: number; currency: string; perUsd: number; source: string }

export type Turn = { id: number; at: number; provider: string; isActive: boolean }

export type Facts = {
  said: Said[]
  fixings: Fixing[]
  /** Moments at which a provider was switched on or off. */
  turns: Turn[]
  providers: Map<string, Provider>
  /** Currencies that the feed covers. */
  fiat: Set<string>
  pegs: Pegs
}

export type Asker = {
  now: number
  tier: 'hourly' | 'realtime'
  /** How old a live quote may be. */
  quoteMaxAge?: number | null
  /** From which age on a quote is stale. */
  staleAfter?: number | null
}

export type Pegs = Record<string, { to: string; rate: number }>

type Parameters = Record<string, string>

/** Everything that was recorded, by the plainest statements there are. */
export async function factsOf(
  { sql }: Database,
  catalogue: { providers: readonly Provider[]; fiat: readonly string[]; pegs: Pegs },
): Promise<Facts> {
  const said = await sql`
    select o.id, (extract(epoch from o.effective_from) * 1000)::float8 as at, p.provider_id,
      c.source || '/' || c.target as pair, o.rate, o.fee, o.fee_currency, o.rate_type,
      coalesce(o.evidence, 'observed') as evidence
    from observations o, provider_corridors p, corridors c
    where p.id = o.provider_corridor_id and c.id = o.corridor_id`
  const fixings = await sql`
    select r.id, (extract(epoch from r.fetched_at) * 1000)::float8 as at, r.currency, r.per_usd,
      s.source
    from reference_rates r, reference_snapshots s where s.id = r.snapshot_id`
  const turns = await sql`
    select id, (extract(epoch from since) * 1000)::float8 as at, provider_id, is_active
    from provider_activity`
  return {
    turns: turns.map((row) => ({
      id: row.id,
      at: row.at,
      provider: row.provider_id,
      isActive: row.is_active,
    })),
    said: said.map((row) => ({
      id: Number(row.id),
      at: row.at,
      provider: row.provider_id,
      pair: row.pair,
      rate: Number(row.rate),
      fee: row.fee === null ? null : Number(row.fee),
      feeCurrency: row.fee_currency,
      kind: row.rate_type,
      evidence: row.evidence,
    })),
    fixings: fixings.map((row) => ({
      id: Number(row.id),
      at: row.at,
      currency: row.currency,
      perUsd: Number(row.per_usd),
      source: row.source,
    })),
    providers: new Map(catalogue.providers.map((provider) => [provider.id, provider])),
    fiat: new Set(catalogue.fiat),
    pegs: catalogue.pegs,
  }
}

const cutoffOf = ({ now, tier }: Asker) => (tier === 'hourly' ? now - (now % HOUR) : now)
const iso = (ms: number) => new Date(ms).toISOString()
const twelve = (x: number) => Number(x.toPrecision(12))
const four = (x: number) => Math.round(x * 1e4) / 1e4 + 0
const later = (a: { at: number; id: number }, b: { at: number; id: number }) =>
  a.at - b.at || a.id - b.id
const isExecutable = (kind: RateType) => KINDS.indexOf(kind) < 3

function last<T extends { at: number; id: number }>(rows: T[]): T | undefined {
  let found: T | undefined
  for (const row of rows) if (!found || later(row, found) > 0) found = row
  return found
}

/** The latest of each provider among `rows`. */
function latest(rows: Said[]): Said[] {
  const providers = [...new Set(rows.map(({ provider }) => provider))]
  return providers.map((provider) => last(rows.filter((row) => row.provider === provider))!)
}

/** Whether a provider was active, told forwards from what it was before anything changed. */
function wasActive({ turns, providers }: Facts, provider: string, at: number): boolean {
  const own = turns.filter((turn) => turn.provider === provider).sort(later)
  let isActive = own[0] ? !own[0].isActive : providers.get(provider)!.isActive
  for (const turn of own) if (turn.at <= at) isActive = turn.isActive
  return isActive
}

/** As it was, or from now on as it is. */
const counts = (facts: Facts, { now }: Asker, provider: string, at: number): boolean =>
  at >= now ? facts.providers.get(provider)!.isActive : wasActive(facts, provider, at)

type Leg = { perUsd: number; at: number; sources: string[] }

/** What a dollar was worth in a currency before a moment, through its peg if it has one. */
function legBefore(facts: Facts, code: string, before: number): Leg | null {
  const peg = facts.pegs[code]
  if (peg?.to === 'USD') {
    const any = last(facts.fixings.filter(({ at }) => at < before))
    return any ? { perUsd: peg.rate, at: any.at, sources: ['peg:USD', any.source] } : null
  }
  if (peg) {
    const anchor = legBefore(facts, peg.to, before)
    if (!anchor) return null
    const sources = [`peg:${peg.to}`, ...anchor.sources]
    return { perUsd: anchor.perUsd * peg.rate, at: anchor.at, sources }
  }
  const own = last(facts.fixings.filter(({ currency, at }) => currency === code && at < before))
  return own ? { perUsd: own.perUsd, at: own.at, sources: [own.source] } : null
}

/** The mid that was known before a moment, however old. */
function midBefore(facts: Facts, pair: string, before: number) {
  const codes = pair.split('/')
  if (codes.some((code) => !facts.fiat.has(code))) return null
  const dollar: Leg = { perUsd: 1, at: Number.POSITIVE_INFINITY, sources: [] }
  const [from, to] = codes.map((code) => (code === 'USD' ? dollar : legBefore(facts, code, before)))
  if (!from || !to) return null
  const named = [...from.sources, ...to.sources]
  const pegs = named.filter((name) => name.startsWith('peg:'))
  const feeds = named.filter((name) => !name.startsWith('peg:'))
  return {
    rate: to.perUsd / from.perUsd,
    at: Math.min(from.at, to.at),
    source: [...new Set([...pegs, ...feeds])].join('+'),
  }
}

function recentMid(facts: Facts, pair: string, moment: { before: number; thenMs: number }) {
  const mid = midBefore(facts, pair, moment.before)
  return mid && moment.thenMs - mid.at <= 72 * HOUR ? mid : null
}

/** The mid of a price's own moment, and how far the price lay below it. */
function ofItsDay(facts: Facts, { pair, at, rate }: Said) {
  const mid = recentMid(facts, pair, { before: at + 1, thenMs: at })
  return (
    mid && {
      mid_at_quote: { rate: twelve(mid.rate), fetched_at: iso(mid.at) },
      margin_pct: Math.round((1 - rate / mid.rate) * 100 * 1e6) / 1e6 + 0,
    }
  )
}

const spreads = new WeakMap<Facts, Map<number, number | null>>()

/** How far a row lay below the best of its kind then, found once for all questions about it. */
function spreadThen(facts: Facts, row: Said): number | null {
  const known = spreads.get(facts) ?? new Map<number, number | null>()
  spreads.set(facts, known)
  if (!known.has(row.id)) {
    const before = facts.said.filter(({ pair, at }) => pair === row.pair && at <= row.at)
    const then = latest(before).filter(
      ({ kind, provider }) => kind === row.kind && wasActive(facts, provider, row.at),
    )
    const best = Math.max(row.rate, ...then.map(({ rate }) => rate))
    const isThere = wasActive(facts, row.provider, row.at)
    known.set(row.id, isThere ? four(((best - row.rate) / best) * 10_000) : null)
  }
  return known.get(row.id)!
}

export function history(facts: Facts, { now, tier }: Asker, p: Parameters) {
  const { period = '30d', order = 'asc' } = p
  const limit = Number(p.limit ?? 500)
  const offset = Number(p.offset ?? 0)
  const cutoff = cutoffOf({ now, tier })
  const end = Math.min(p.until ? Date.parse(p.until) : now, cutoff)
  const start = end - (end % HOUR) - DAYS[period]! * DAY
  const pair = `${p.from}/${p.to}`
  const corridor = facts.said.filter((row) => row.pair === pair)
  const rows = corridor
    .filter(({ at, provider }) => at >= start && at <= end && provider === (p.provider ?? provider))
    .sort(later)
  if (order === 'desc') rows.reverse()
  const page = rows.slice(offset, offset + limit)
  return {
    corridor: pair,
    period,
    from_date: iso(start),
    to_date: iso(end),
    order,
    limit,
    offset,
    has_more: rows.length > offset + limit,
    data: page.map((row) => ({
      timestamp: iso(row.at),
      provider_id: row.provider,
      provider_name: facts.providers.get(row.provider)!.name,
      rate: twelve(row.rate),
      fee: row.fee,
      fee_currency: row.feeCurrency,
      spread_bps: spreadThen(facts, row),
      rate_type: row.kind,
      evidence: row.evidence,
    })),
    count: page.length,
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoff) }),
  }
}

export function series(facts: Facts, { now, tier }: Asker, p: Parameters) {
  const { interval = 'P1D', period = '30d' } = p
  const size = interval === 'P1D' ? DAY : HOUR
  const most = interval === 'P1D' ? 366 : 168
  const cutoff = cutoffOf({ now, tier })
  const pair = `${p.from}/${p.to}`
  const up = (ms: number) => Math.ceil(ms / size) * size
  const askedEnd = p.end ? Date.parse(p.end) : now + 1
  const askedStart = p.start ? Date.parse(p.start) : Math.min(askedEnd, now) - DAYS[period]! * DAY
  let start = askedStart - (askedStart % size)
  const wanted = Math.max(up(askedEnd), start + size)
  const end = Math.min(wanted, now - (now % size) + size)
  const notes: string[] = []
  start = Math.max(start, end - most * size)
  if (Math.min(askedEnd, now) - askedStart > most * size)
    notes.push(
      `More than ${most} buckets of ${interval} were asked for: ` +
        'these are the newest, and start has moved.',
    )
  if (wanted > end)
    notes.push('The end asked for lies in the future: the series ends with the present bucket.')
  const seen = facts.said.filter((row) => row.pair === pair && row.at <= cutoff)
  if (seen.length === 0)
    notes.push('No provider has quoted this pair: the series holds mids at most.')
  const data = []
  for (let t = start; t < end; t += size) {
    const rows = seen.filter(({ at }) => at >= t && at < t + size)
    const executable = rows
      .filter(({ kind, provider, at }) => isExecutable(kind) && wasActive(facts, provider, at))
      .map(({ rate }) => rate)
    const mid = midBefore(facts, pair, Math.min(t + size, cutoff + 1))
    data.push({
      t: iso(t),
      mid: mid && twelve(mid.rate),
      mid_at: mid && iso(mid.at),
      best: executable.length > 0 ? twelve(Math.max(...executable)) : null,
      samples: rows.length,
    })
  }
  return {
    corridor: pair,
    interval,
    start: iso(start),
    end: iso(end),
    tracked_corridor: seen.length > 0,
    data,
    count: data.length,
    ...(notes.length > 0 && { note: notes.join(' ') }),
    timestamp: iso(now),
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoff) }),
  }
}

export function historical(facts: Facts, { now, tier, staleAfter }: Asker, p: Parameters) {
  const pair = `${p.from}/${p.to}`
  const nextDay = Date.parse(p.date!) + DAY
  const isOver = nextDay <= now
  const asOf = isOver || tier === 'realtime' ? nextDay : cutoffOf({ now, tier })
  const isIn = (at: number) => (asOf === nextDay ? at < asOf : at <= asOf)
  const lastMs = asOf === nextDay ? asOf - 1 : asOf
  const seen = (asked: string) =>
    latest(facts.said.filter((row) => row.pair === asked && isIn(row.at))).filter(({ provider }) =>
      counts(facts, { now, tier }, provider, lastMs),
    )
  const quotes = seen(pair)
  const reverse = `${p.to}/${p.from}`
  const isOther = seen(reverse).length > 0
  const before = asOf === nextDay ? asOf : asOf + 1
  const mid = recentMid(facts, pair, { before, thenMs: Math.min(now, nextDay) })
  const ordered = quotes.sort(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      b.rate - a.rate ||
      b.at - a.at ||
      (a.provider < b.provider ? -1 : 1),
  )
  return {
    corridor: pair,
    providers: ordered.map((row) => {
      const kin = quotes.filter(({ kind }) => kind === row.kind).map(({ rate }) => rate)
      const best = Math.max(...kin)
      const provider = facts.providers.get(row.provider)!
      return {
        provider_id: row.provider,
        provider_name: provider.name,
        rate: twelve(row.rate),
        fee: row.fee,
        fee_currency: row.feeCurrency,
        spread_bps: four(((best - row.rate) / best) * 10_000),
        ...(mid && { vs_mid_bps: four((row.rate / mid.rate - 1) * 10_000) }),
        rate_type: row.kind,
        provider_type: provider.providerType,
        transfer_time: provider.transferTime,
        last_updated: iso(row.at),
        is_stale: Math.min(asOf, now) - row.at > (staleAfter ?? Number.POSITIVE_INFINITY),
        fee_stated: row.fee !== null,
        evidence: row.evidence,
        ...ofItsDay(facts, row),
      }
    }),
    count: quotes.length,
    ...(mid && {
      mid_rate: twelve(mid.rate),
      mid_source: mid.source,
      mid_fetched_at: iso(mid.at),
    }),
    timestamp: iso(now),
    date: p.date,
    as_of: iso(asOf),
    data_freshness: tier,
    ...(quotes.length === 0 && {
      note: `No active provider had quoted ${pair} by ${p.date}${isOther ? `; ${reverse} was quoted` : ''}.`,
    }),
  }
}

export function change(facts: Facts, { now, tier, quoteMaxAge = null }: Asker, p: Parameters) {
  const { period = '7d' } = p
  const pair = `${p.from}/${p.to}`
  const end = cutoffOf({ now, tier })
  const start = end - DAYS[period]! * DAY
  const side = (at: number) => {
    const mid = recentMid(facts, pair, { before: at + 1, thenMs: at })
    const said = facts.said.filter((row) => row.pair === pair && row.at <= at)
    const executable = latest(said).filter(
      (row) =>
        isExecutable(row.kind) &&
        counts(facts, { now, tier }, row.provider, at) &&
        at - row.at <= (quoteMaxAge ?? Number.POSITIVE_INFINITY),
    )
    const best = executable.length > 0 ? Math.max(...executable.map(({ rate }) => rate)) : undefined
    return {
      at: iso(at),
      ...(mid && { mid: twelve(mid.rate), source: mid.source }),
      ...(best !== undefined && { best: twelve(best) }),
    }
  }
  const from = side(start)
  const to = side(end)
  return {
    corridor: pair,
    period,
    start: from,
    end: to,
    change: {
      ...(from.mid && to.mid && { mid: moved(from.mid, to.mid) }),
      ...(from.best && to.best && { best: moved(from.best, to.best) }),
    },
    timestamp: iso(now),
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(end) }),
  }
}

/** By whole numbers: what is shown has twelve digits, so its difference is exact in fixed point. */
function moved(from: number, to: number) {
  const abs = Number(`${fixed(to) - fixed(from)}e-${PLACES}`)
  return { abs: twelve(abs), pct: Math.round((abs / from) * 100 * 1e6) / 1e6 + 0 }
}

const PLACES = 30

function fixed(x: number): bigint {
  const [digits = '', exponent] = x.toExponential().split('e')
  const [whole = '', part = ''] = digits.split('.')
  return BigInt(whole + part) * 10n ** BigInt(PLACES + Number(exponent) - part.length)
}
