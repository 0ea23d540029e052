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
  /** Its offer, under the names in responses, without unspecified fields. */
  offer: Terms
  /** Its recording in the history; absent if unknown. */
  recording?: object
  /** After this time it is no longer live. */
  until: number
}

type Terms = Record<string, string | number | string[]>

export type Fixing = { id: number; at: number; currency: string; perUsd: number; source: string }

export type Turn = { id: number; at: number; provider: string; isActive: boolean }

export type Facts = {
  said: Said[]
  fixings: Fixing[]
  /** Times at which a provider was switched on or off. */
  turns: Turn[]
  providers: Map<string, Provider>
  /** Currencies that the feed covers. */
  fiat: Set<string>
  pegs: Pegs
}

export type Asker = {
  now: number
  tier: 'hourly' | 'realtime'
  /** Maximum age of a live quote. */
  quoteMaxAge?: number | null
  /** From which age on a quote is stale. */
  staleAfter?: number | null
  /** The percentage above its mid from which a price is suspect; null or nothing for none. */
  suspectPct?: number | null
}

export type Pegs = Record<string, { to: string; rate: number }>

type Parameters = Record<string, string>

/** Everything recorded, read by the plainest possible statements. */
export async function factsOf(
  { sql }: Database,
  catalogue: { providers: readonly Provider[]; fiat: readonly string[]; pegs: Pegs },
): Promise<Facts> {
  const said = await sql`
    select o.id, (extract(epoch from o.effective_from) * 1000)::float8 as at, p.provider_id,
      c.source || '/' || c.target as pair, o.rate, o.fee, o.fee_currency, o.rate_type,
      coalesce(o.evidence, 'observed') as evidence,
      f.source_country, f.target_country, f.pay_in, f.pay_out, f.channel, f.service,
      f.amount_min::float8, f.amount_max::float8, o.fee_percent::float8,
      o.delivery_min, o.delivery_max,
      (extract(epoch from o.valid_until) * 1000)::float8 as valid_until
    from observations o left join offers f on f.id = o.offer_id, provider_corridors p, corridors c
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
      offer: termsOf(row),
      until: row.valid_until ?? Number.POSITIVE_INFINITY,
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
/** Reports whether another row of its offer and time was recorded after it. */
const isSuperseded = (row: Said, rows: Said[]) =>
  rows.some((one) => one.at === row.at && one.id > row.id && identityOf(one) === identityOf(row))

const later = (a: { at: number; id: number }, b: { at: number; id: number }) =>
  a.at - b.at || a.id - b.id
const isExecutable = (kind: RateType) => KINDS.indexOf(kind) < 3

function bankDate({ providers }: Facts, { kind, at, provider }: Said) {
  const timeZone = providers.get(provider)!.timeZone ?? (at % (24 * HOUR) === 0 ? 'UTC' : null)
  if (kind !== 'official' || !timeZone) return {}
  return { rate_date: new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at) }
}

function last<T extends { at: number; id: number }>(rows: T[]): T | undefined {
  let found: T | undefined
  for (const row of rows) if (!found || later(row, found) > 0) found = row
  return found
}

const IDENTITY = [
  ...['source_country', 'target_country', 'pay_in', 'pay_out', 'channel'],
  ...['amount_min', 'amount_max', 'service'],
]
const TERMS = ['fee_percent', 'delivery_min', 'delivery_max', 'valid_until']

function termsOf(row: Record<string, unknown>): Terms {
  const said = [...IDENTITY, ...TERMS].filter((name) => row[name] !== null)
  const shown = (name: string) => {
    if (name === 'valid_until') return iso(row[name] as number)
    return name.startsWith('delivery') ? durations[row[name] as number]! : row[name]
  }
  return Object.fromEntries(said.map((name) => [name, shown(name)])) as Terms
}

/** Notation of the few deliveries of the tests. */
const durations: Record<number, string> = { 0: 'PT0S', 3600: 'PT1H', 172800: 'P2D' }
const seconds = (text: string) =>
  Number(Object.keys(durations).find((key) => durations[Number(key)] === text))

const identities = new WeakMap<Said, string>()

/** The offer of a row, as text. */
function identityOf(row: Said): string {
  const known = identities.get(row)
  if (known !== undefined) return known
  const written = [row.provider, ...IDENTITY.map((name) => row.offer[name] ?? null)]
  const identity = JSON.stringify(written)
  identities.set(row, identity)
  return identity
}

/** The latest of each offer among `rows` that was valid at a time. */
function latest(rows: Said[], at: number): Said[] {
  const valid = rows.filter(({ until }) => until >= at)
  return [...Map.groupBy(valid, identityOf).values()].map((offer) => last(offer)!)
}

const FILTERS = [...IDENTITY.slice(0, 5), 'delivery_max']

/** The filters that a row does not specify; null if it contradicts one. */
function silences({ offer }: Said, p: Parameters, most = Number.NaN): string[] | null {
  const asked = FILTERS.filter((name) => p[name] !== undefined)
  const fits = (name: string): boolean | null => {
    if (name === 'delivery_max') {
      const asked = seconds(p.delivery_max!)
      const own = most <= asked ? true : most > asked ? false : null
      if (offer.delivery_max !== undefined) return seconds(offer.delivery_max as string) <= asked
      if (offer.delivery_min === undefined) return own
      return seconds(offer.delivery_min as string) > asked ? false : own
    }
    const said = offer[name]
    return said === undefined
      ? null
      : [said].flat().some((one) => p[name]!.split(',').includes(`${one}`))
  }
  if (asked.some((name) => fits(name) === false)) return null
  return asked.filter((name) => fits(name) === null)
}

/** The offer fields of an entry, last. */
function offerShown(row: Said, p: Parameters, most?: number) {
  const { provider, pair, offer } = row
  const identity = IDENTITY.map((name) => offer[name] ?? null)
  const key = identity.every((one) => one === null) ? '' : JSON.stringify(plainAmounts(identity))
  const [from, to] = pair.split('/')
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([provider, from, to, key]))
  const silent = silences(row, p, most)!
  const id = hash.digest('hex').slice(0, 12)
  return {
    offer_id: id,
    ...(Object.keys(offer).length > 0 && { offer: { id, ...offer } }),
    ...(silent.length > 0 && { unspecified: silent }),
  }
}

/** Amounts are strings in the source of an id. */
const plainAmounts = (identity: unknown[]) =>
  identity.map((one) => (typeof one === 'number' ? String(one) : one))

type Evaluated = { row: Said; isStale: boolean; silent: boolean }

/** The order in which a provider's offers are chosen, without an amount. */
function byChoice(a: Evaluated, b: Evaluated): number {
  const percent = ({ offer }: Said) => Number(offer.fee_percent ?? 0)
  const isStated = ({ fee, offer }: Said) => fee !== null || offer.fee_percent !== undefined
  return (
    Number(a.silent) - Number(b.silent) ||
    Number(a.isStale) - Number(b.isStale) ||
    b.row.rate - a.row.rate ||
    Number(isStated(b.row)) - Number(isStated(a.row)) ||
    (a.row.fee ?? 0) - (b.row.fee ?? 0) ||
    percent(a.row) - percent(b.row) ||
    later(b.row, a.row)
  )
}

/** The first of each group by the rules of choice. */
function chosen(evaluated: Evaluated[], groupOf: (row: Said) => string): Evaluated[] {
  const groups = Map.groupBy(evaluated, ({ row }) => groupOf(row))
  return [...groups.values()].map((group) => group.sort(byChoice)[0]!)
}

/** Reports whether a provider was active, computed forwards from its state before all changes. */
function wasActive({ turns, providers }: Facts, provider: string, at: number): boolean {
  const own = turns.filter((turn) => turn.provider === provider).sort(later)
  let isActive = own[0] ? !own[0].isActive : providers.get(provider)!.isActive
  for (const turn of own) if (turn.at <= at) isActive = turn.isActive
  return isActive
}

/** Reports whether a provider counts: as of then, or as of now if `now` is set. */
const counts = (facts: Facts, { now }: Asker, provider: string, at: number): boolean =>
  at >= now ? facts.providers.get(provider)!.isActive : wasActive(facts, provider, at)

type Leg = { perUsd: number; at: number; sources: string[] }

/** Value of a dollar in a currency before a time, through its peg if it has one. */
function legBefore(facts: Facts, code: string, before: number): Leg | null {
  const peg = facts.pegs[code]
  if (peg?.to === 'USD')
    return { perUsd: peg.rate, at: Number.POSITIVE_INFINITY, sources: ['peg:USD'] }
  if (peg) {
    const anchor = legBefore(facts, peg.to, before)
    if (!anchor) return null
    const sources = [`peg:${peg.to}`, ...anchor.sources]
    return { perUsd: anchor.perUsd * peg.rate, at: anchor.at, sources }
  }
  const own = last(facts.fixings.filter(({ currency, at }) => currency === code && at < before))
  return own ? { perUsd: own.perUsd, at: own.at, sources: [own.source] } : null
}

const anchorOf = (facts: Facts, code: string): string => {
  const peg = facts.pegs[code]
  return peg ? anchorOf(facts, peg.to) : code
}

/** The mid that was known before a time, however old. */
function midBefore(facts: Facts, pair: string, before: number) {
  const codes = pair.split('/')
  if (codes.some((code) => !facts.fiat.has(code))) return null
  const dollar: Leg = { perUsd: 1, at: Number.POSITIVE_INFINITY, sources: [] }
  const [from, to] = codes.map((code) => (code === 'USD' ? dollar : legBefore(facts, code, before)))
  if (!from || !to) return null
  const named = [...from.sources, ...to.sources]
  const pegs = named.filter((name) => name.startsWith('peg:'))
  const feeds = named.filter((name) => !name.startsWith('peg:'))
  const isFixed = pegs.length > 0 && anchorOf(facts, codes[0]!) === anchorOf(facts, codes[1]!)
  const isPegged = isFixed || codes.every((code) => code === 'USD' || code in facts.pegs)
  return {
    basis: isPegged && pegs.length > 0 ? 'peg' : 'single',
    rate: to.perUsd / from.perUsd,
    at: Math.min(from.at, to.at, before - 1),
    source: [...new Set([...pegs, ...feeds])].join('+'),
  }
}

function recentMid(facts: Facts, pair: string, moment: { before: number; thenMs: number }) {
  const mid = midBefore(facts, pair, moment.before)
  return mid && moment.thenMs - mid.at <= 72 * HOUR ? mid : null
}

/** The mid at the time of a price, and how far below it the price was. */
function ofItsDay(facts: Facts, { pair, at, rate }: Said) {
  const mid = recentMid(facts, pair, { before: at + 1, thenMs: at })
  return (
    mid && {
      mid_at_quote: { rate: twelve(mid.rate), fetched_at: iso(mid.at), basis: mid.basis },
      margin_pct: Math.round((1 - rate / mid.rate) * 100 * 1e6) / 1e6 + 0,
    }
  )
}

/** States how far a price was from the mid of its time; null if it is believed. */
function doubtThen(facts: Facts, row: Said, pct: number | null): string | null {
  if (pct === null || !isExecutable(row.kind)) return null
  const mid = recentMid(facts, row.pair, { before: row.at + 1, thenMs: row.at })
  if (mid === null) return null
  const off = (row.rate / mid.rate) * 100 - 100
  if (off > pct) return `${off.toFixed(1)} % above the mid of its day`
  return off < -50 ? `${(-off).toFixed(1)} % below the mid of its day` : null
}

const spreads = new WeakMap<Facts, Map<string, number | null>>()

/** Distance of a row below the best of its kind then, found once for all requests about it. */
function spreadThen(facts: Facts, row: Said, p: Parameters, pct: number | null): number | null {
  const key = [row.id, pct, ...FILTERS.map((name) => p[name])].join()
  const known = spreads.get(facts) ?? new Map<string, number | null>()
  spreads.set(facts, known)
  if (!known.has(key)) {
    const before = facts.said.filter(({ pair, at }) => pair === row.pair && at <= row.at)
    const then = latest(before, row.at).filter(
      (one) =>
        one.kind === row.kind &&
        wasActive(facts, one.provider, row.at) &&
        silences(one, p) !== null,
    )
    const believed = then.filter((one) => doubtThen(facts, one, pct) === null)
    const isDoubted = doubtThen(facts, row, pct) !== null
    const rivals = isDoubted
      ? believed.length > 0
        ? believed
        : [row, ...then]
      : [row, ...believed]
    const best = Math.max(...rivals.map(({ rate }) => rate))
    const isThere = wasActive(facts, row.provider, row.at)
    known.set(key, isThere ? four(((best - row.rate) / best) * 10_000) : null)
  }
  return known.get(key)!
}

export function history(facts: Facts, { now, tier, suspectPct: pct = null }: Asker, p: Parameters) {
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
    .filter((row) => silences(row, p) !== null)
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
      id: row.id,
      timestamp: iso(row.at),
      provider_id: row.provider,
      provider_name: facts.providers.get(row.provider)!.name,
      rate: twelve(row.rate),
      fee: row.fee,
      fee_currency: row.feeCurrency,
      spread_bps: spreadThen(facts, row, p, pct),
      ...(doubtThen(facts, row, pct) !== null && { suspect: doubtThen(facts, row, pct) }),
      rate_type: row.kind,
      ...bankDate(facts, row),
      evidence: row.evidence,
      ...row.recording,
      ...(isSuperseded(row, corridor) && { superseded: true }),
      ...offerShown(row, p),
    })),
    count: page.length,
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoff) }),
  }
}

export function series(facts: Facts, { now, tier, suspectPct: pct = null }: Asker, p: Parameters) {
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
      `More than ${most} buckets of ${interval} were requested: ` +
        'these are the newest, and start has moved.',
    )
  if (wanted > end)
    notes.push('The requested end is in the future: the series ends with the present bucket.')
  const seen = facts.said.filter((row) => row.pair === pair && row.at <= cutoff)
  if (seen.length === 0)
    notes.push('No provider has quoted this pair: the series holds mids at most.')
  const data = []
  for (let t = start; t < end; t += size) {
    const rows = seen.filter(({ at }) => at >= t && at < t + size)
    const executable = rows
      .filter(({ kind, provider, at }) => isExecutable(kind) && wasActive(facts, provider, at))
      .filter((row) => !isSuperseded(row, rows) && doubtThen(facts, row, pct) === null)
      .map(({ rate }) => rate)
    const mid = midBefore(facts, pair, Math.min(t + size, cutoff + 1))
    data.push({
      t: iso(t),
      mid: mid && twelve(mid.rate),
      mid_at: mid && iso(mid.source === 'peg:USD' ? t : mid.at),
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

/** Seconds of `minutes`, the delivery of every provider here. */
const OWN_MOST = 3600

export function historical(facts: Facts, { now, tier, staleAfter }: Asker, p: Parameters) {
  const pair = `${p.from}/${p.to}`
  const nextDay = Date.parse(p.date!) + DAY
  const isOver = nextDay <= now
  const asOf = isOver || tier === 'realtime' ? nextDay : cutoffOf({ now, tier })
  const isIn = (at: number) => (asOf === nextDay ? at < asOf : at <= asOf)
  const lastMs = asOf === nextDay ? asOf - 1 : asOf
  const seen = (asked: string) =>
    latest(
      facts.said.filter((row) => row.pair === asked && isIn(row.at)),
      Math.min(lastMs, now),
    ).filter(({ provider }) => counts(facts, { now, tier }, provider, lastMs))
  const stood = seen(pair)
  const isStale = ({ at }: Said) =>
    Math.min(asOf, now) - at > (staleAfter ?? Number.POSITIVE_INFINITY)
  const evaluated = stood
    .filter((row) => silences(row, p, OWN_MOST) !== null)
    .map((row) => ({ row, isStale: isStale(row), silent: silences(row, p, OWN_MOST)!.length > 0 }))
  const groupOf = (row: Said) => (p.offers === 'all' ? identityOf(row) : row.provider)
  const quotes = chosen(evaluated, groupOf).map(({ row }) => row)
  const isSilent = (row: Said) => Number(silences(row, p, OWN_MOST)!.length > 0)
  const isFixed = ({ kind }: Said) => !isExecutable(kind)
  const isUnfit =
    quotes.every((row) => isFixed(row) && isSilent(row) === 1) &&
    (quotes.length === 0 || !stood.every(isFixed))
  const reverse = `${p.to}/${p.from}`
  const isOther = seen(reverse).length > 0
  const before = asOf === nextDay ? asOf : asOf + 1
  const mid = recentMid(facts, pair, { before, thenMs: Math.min(now, nextDay) })
  const ordered = quotes.sort(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      isSilent(a) - isSilent(b) ||
      b.rate - a.rate ||
      b.at - a.at ||
      (a.provider === b.provider ? later(b, a) : a.provider < b.provider ? -1 : 1),
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
        is_stale: isStale(row),
        ...bankDate(facts, row),
        fee_stated: row.fee !== null || row.offer.fee_percent !== undefined,
        evidence: row.evidence,
        ...ofItsDay(facts, row),
        ...offerShown(row, p, OWN_MOST),
      }
    }),
    count: quotes.length,
    ...(mid && {
      mid_rate: twelve(mid.rate),
      mid_source: mid.source,
      mid_fetched_at: iso(mid.at),
      mid_basis: mid.basis,
    }),
    timestamp: iso(now),
    date: p.date,
    as_of: iso(asOf),
    data_freshness: tier,
    ...(isUnfit && {
      note:
        stood.length > 0
          ? `No price of ${pair} on ${p.date} fits the requested ${listed(
              FILTERS.filter((name) => p[name] !== undefined),
            )}.`
          : `No active provider had a valid price of ${pair} as of ${p.date}${isOther ? `; ${reverse} was quoted` : ''}.`,
    }),
  }
}

const listed = (names: string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export function change(
  facts: Facts,
  { now, tier, staleAfter, quoteMaxAge = null }: Asker,
  p: Parameters,
) {
  const { period = '7d' } = p
  const pair = `${p.from}/${p.to}`
  const end = cutoffOf({ now, tier })
  const start = end - DAYS[period]! * DAY
  const side = (at: number) => {
    const mid = recentMid(facts, pair, { before: at + 1, thenMs: at })
    const said = facts.said.filter((row) => row.pair === pair && row.at <= at)
    const live = latest(said, at).filter(
      (row) =>
        counts(facts, { now, tier }, row.provider, at) &&
        at - row.at <= (quoteMaxAge ?? Number.POSITIVE_INFINITY),
    )
    const evaluated = live.map((row) => ({
      row,
      isStale: at - row.at > (staleAfter ?? Number.POSITIVE_INFINITY),
      silent: false,
    }))
    const executable = chosen(evaluated, ({ provider }) => provider)
      .map(({ row }) => row)
      .filter(({ kind }) => isExecutable(kind))
    const best = executable.length > 0 ? Math.max(...executable.map(({ rate }) => rate)) : undefined
    return {
      at: iso(at),
      ...(mid && { mid: twelve(mid.rate), source: mid.source, basis: mid.basis }),
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

/**
 * Uses whole numbers: shown values have twelve digits, so their difference is exact in fixed point.
 */
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
