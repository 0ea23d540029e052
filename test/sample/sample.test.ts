import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { currencyCode } from '~/domain/currency.ts'
import { instantOf } from '~/domain/instant.ts'
import { backfillStartMs, NOTES_LENGTH_MAX, significantDigits } from '~/domain/observation.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { PROVIDER_TYPES } from '~/domain/provider.ts'
import { dateIn } from '~/domain/source/zone.ts'
import { readCatalogueFile } from '~/file/catalogue.ts'
import {
  sampleCatalogue,
  sampleObservations,
  sampleReferences,
  sampleShiftDays,
  sampleSources,
} from '~/sample/sample.ts'
import sources from '~/sample/sources.json'
import manifest from '~generated/sample/manifest.json'

const DAY_MS = 86_400_000
const SEED = 20_250_905
const FLAGS = resolve(import.meta.dir, '../../node_modules/flag-icons/flags/4x3')

const OFFER = [
  ...['source_country', 'target_country', 'pay_in', 'channel'],
  ...['amount_min', 'amount_max', 'service'],
]

type Row = Record<string, string>

async function rowsOf(stream: ReadableStream<Uint8Array>): Promise<Row[]> {
  return parse(await new Response(stream).text(), { columns: true }) as Row[]
}

const observations = await rowsOf(sampleObservations(0))
const references = await rowsOf(sampleReferences(0))
const { currencies, providers } = sampleCatalogue('http://localhost:3000/')
const isSurveyed = ({ source_country }: Row): boolean => source_country !== ''
const codes = new Set(currencies.map(({ code }) => code))
const timesOf = (rows: readonly Row[], column: string) =>
  rows.map((row) => instantOf(row[column]!)!)

describe('sampleCatalogue', () => {
  test('is a catalogue file without errors', () => {
    const reading = readCatalogueFile(JSON.stringify(sampleCatalogue('http://localhost:3000')))
    expect(reading.faults).toEqual([])
    expect(reading.currencies.length).toBe(currencies.length)
    expect(reading.providers.length).toBe(providers.length)
  })

  test('every flag is a file of the flag package, below the origin', () => {
    const flags = currencies.map(({ flag_url }) => flag_url).filter((url) => url !== null)
    const missing = flags.filter((url) => {
      const { origin, pathname } = new URL(url)
      const file = pathname.match(/^\/flags\/([a-z]{2}\.svg)$/)?.[1]
      return origin !== 'http://localhost:3000' || !file || !existsSync(resolve(FLAGS, file))
    })
    expect(missing).toEqual([])
    const bare = currencies.filter(({ flag_url }) => flag_url === null).map(({ code }) => code)
    expect(bare).toEqual(['USDC', 'USDT'])
  })

  test('codes and ids are well formed and unique, in ascending order of sorting', () => {
    expect(codes.size).toBe(currencies.length)
    expect(currencies.filter(({ code }) => currencyCode(code) !== code)).toEqual([])
    expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length)
    expect(providers.filter(({ id }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([])
    const orders = currencies.map(({ sort_order }) => sort_order)
    expect(orders).toEqual(orders.toSorted((a, b) => a - b))
  })

  test('a currency is source, target or both as the quotes use it', () => {
    const froms = new Set(observations.map(({ from }) => from))
    const tos = new Set(observations.map(({ to }) => to))
    const wrong = currencies.filter(({ code, type }) => {
      if (froms.has(code) === tos.has(code)) return type !== 'both'
      return type !== (froms.has(code) ? 'source' : 'target')
    })
    expect(wrong).toEqual([])
  })

  test('types are those of the specification, and only central banks are official', () => {
    const known: readonly string[] = PROVIDER_TYPES
    expect(providers.filter(({ provider_type }) => !known.includes(provider_type))).toEqual([])
    for (const { provider_type, rate_type } of providers)
      expect(rate_type).toBe(provider_type === 'central_bank' ? 'official' : 'retail')
  })

  test('a caller may change its result without changing the next one', () => {
    sampleCatalogue('http://a').providers[0]!.name = 'changed'
    expect(sampleCatalogue('http://a').providers[0]!.name).not.toBe('changed')
  })
})

describe('sampleObservations', () => {
  test('has the rows of the manifest, oldest first', () => {
    const times = timesOf(observations, 'effective_from')
    expect(observations.length).toBe(manifest.observations.rows)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('every provider and currency is in the catalogue', () => {
    const ids = new Set(providers.map(({ id }) => id))
    expect(observations.filter(({ provider_id }) => !ids.has(provider_id!))).toEqual([])
    const used = observations.flatMap(({ from, to, fee_currency }) => [from, to, fee_currency])
    expect(used.filter((code) => code && !codes.has(code))).toEqual([])
  })

  test('rates are positive, fees are not negative, digits and notes keep the limits', () => {
    const wrong = observations.filter(({ rate, fee, fee_currency, notes }) => {
      const digits = significantDigits(rate!) ?? Infinity
      const isFeeWrong = fee === '' ? fee_currency !== '' : !(Number(fee) >= 0) || !fee_currency
      return !(Number(rate) > 0) || digits > 18 || isFeeWrong || notes!.length > NOTES_LENGTH_MAX
    })
    expect(wrong).toEqual([])
  })

  test('every provider quotes', () => {
    const quoting = new Set(observations.map(({ provider_id }) => provider_id))
    expect(providers.map(({ id }) => id).filter((id) => !quoting.has(id))).toEqual([])
  })

  test('a price of the survey names two countries that use its currencies', () => {
    const surveyed = observations.filter(isSurveyed)
    const moneyOf = (country: string) => COUNTRIES.get(country)?.currencies[0]
    const wrong = surveyed.filter((row) => {
      const { source_country, target_country } = row as Record<string, string>
      const [from, to] = [moneyOf(source_country!), moneyOf(target_country!)]
      return source_country === target_country || row.from !== from || row.to !== to
    })
    expect(wrong).toEqual([])
    const ofOneCurrency = observations.filter(({ from, to }) => from === to)
    expect(ofOneCurrency.length).toBe(manifest.survey.of_one_currency.prices)
    expect(ofOneCurrency.every(({ evidence }) => evidence === 'derived')).toBe(true)
  })

  test('no two prices of the survey are of one offer', () => {
    const surveyed = observations.filter(isSurveyed)
    const keys = surveyed.map((row) =>
      [row.provider_id, row.from, row.to, ...OFFER.map((name) => row[name])].join(),
    )
    expect(new Set(keys).size).toBe(manifest.survey.prices)
  })

  test('East Africa was observed, and only the survey and means of two sides are derived', () => {
    const counts = Map.groupBy(observations, ({ evidence }) => evidence)
    expect([...counts.keys()].sort()).toEqual(['derived', 'observed'])
    const means = counts.get('derived')!.filter((row) => !isSurveyed(row))
    expect(counts.get('derived')!.length - means.length).toBe(manifest.survey.prices)
    expect(means.filter(({ notes }) => !/^mean of buying .+ and selling /.test(notes!))).toEqual([])
    const banks = new Set(means.map(({ provider_id }) => provider_id))
    expect([...banks].sort()).toEqual(['central-bank-of-egypt', 'central-bank-of-liberia'])
    const official = new Set(providers.filter((p) => p.rate_type === 'official').map((p) => p.id))
    const observed = counts.get('observed')!.filter((row) => !official.has(row.provider_id!))
    const east = ['KES', 'RWF', 'TZS', 'UGX']
    expect(observed.length).toBeGreaterThan(300)
    expect(observed.flatMap(({ from, to }) => [from!, to!]).every((c) => east.includes(c))).toBe(
      true,
    )
  })
})

/** Pattern of the notes of a row of the survey. */
const SURVEYED =
  /^World Bank survey of 2025 Q3: fee ([\d.]+) % and margin (-?[\d.]+) % of (\d+) USD$/

describe('a quote of the survey', () => {
  const surveyed = observations.filter(isSurveyed)
  const figures = surveyed.map((row) => {
    const [, feePct, marginPct, amountUsd] = SURVEYED.exec(row.notes!)!.map(Number)
    const amount = Number(row.amount_min)
    return { row, feePct: feePct!, marginPct: marginPct!, amountUsd: amountUsd!, amount }
  })

  test('is on one of the last two days of the mids', () => {
    const days = new Set(surveyed.map(({ effective_from }) => effective_from!.slice(0, 10)))
    expect([...days].sort()).toEqual(manifest.survey.days.toSorted())
    expect(days.has(references.at(-1)!.fetched_at!.slice(0, 10))).toBe(true)
  })

  test('has the margin of the survey against the mid of its own day, row by row', () => {
    const wrong = figures.filter(({ row, marginPct }) => {
      const mid = midAt(row.effective_from!, row.from!, row.to!)
      return Math.abs((1 - Number(row.rate) / mid) * 100 - marginPct) > 1e-7
    })
    expect(wrong).toEqual([])
    expect(figures.length).toBe(manifest.survey.prices)
  })

  test('has the fee of the survey, in percent of a round amount in the source currency', () => {
    const wrong = figures.filter(({ row, feePct, amount }) => {
      const isOff = Math.abs(Number(row.fee) - (feePct * amount) / 100) > amount * 1e-11
      return isOff || row.fee_currency !== row.from || row.amount_max !== row.amount_min
    })
    expect(wrong).toEqual([])
    const uneven = figures.filter(({ amount }) => Number(amount.toPrecision(2)) !== amount)
    expect(uneven).toEqual([])
    const far = figures.filter(({ row, amount, amountUsd }) => {
      const usd = amount / midAt(row.effective_from!, 'USD', row.from!)
      return Math.abs(usd / amountUsd - 1) > 0.05
    })
    expect(far).toEqual([])
  })

  test('is the only price that may be above the mid of its day', () => {
    const official = new Set(providers.filter((p) => p.rate_type === 'official').map((p) => p.id))
    const above = observations.filter((row) => {
      if (official.has(row.provider_id!)) return false
      const mid = midAt(row.effective_from!, row.from!, row.to!)
      return Number(row.rate) > mid * (1 + 1e-9)
    })
    expect(above.length).toBeGreaterThan(10)
    expect(above.filter((row) => !(Number(SURVEYED.exec(row.notes!)?.[2]) < 0))).toEqual([])
  })

  test('is for about 200 or 500 dollars', () => {
    const tiers = new Set(figures.map(({ amountUsd }) => amountUsd))
    expect([...tiers].sort()).toEqual([200, 500])
  })

  test('between a currency and its anchor keeps to the peg', () => {
    const rates = surveyed.filter(
      ({ from, to, notes }) => from === 'EUR' && to === 'XOF' && / margin 0 % /.test(notes!),
    )
    for (const { rate } of rates) expect(rate).toBe('655.957')
    expect(midAt(manifest.references.newest, 'EUR', 'XOF')).toBeCloseTo(655.957, 9)
    expect(midAt(manifest.references.newest, 'ZAR', 'SZL')).toBe(1)
  })
})

const perUsd = Map.groupBy(references, ({ currency }) => currency!)
const pegs = new Map(currencies.map(({ code, peg }) => [code, peg]))

/** The newest mid at a time by the rows of the files alone; NaN if one leg is over 72 h old. */
function midAt(time: string, from: string, to: string): number {
  const usd = (code: string): number => {
    if (code === 'USD') return 1
    const peg = pegs.get(code)
    if (peg) return usd(peg.to) * peg.rate
    const held = perUsd.get(code)?.findLast(({ fetched_at }) => fetched_at! <= time)
    const isRecent = held && instantOf(time)! - instantOf(held.fetched_at!)! <= 3 * DAY_MS
    return isRecent ? Number(held.per_usd) : Number.NaN
  }
  return usd(to) / usd(from)
}

describe('sampleReferences', () => {
  test('has the rows of the manifest, oldest first, one per time and currency', () => {
    const times = timesOf(references, 'fetched_at')
    expect(references.length).toBe(manifest.references.rows)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const keys = new Set(references.map((row) => `${row.fetched_at} ${row.currency}`))
    expect(keys.size).toBe(references.length)
  })

  test('every rate is positive, of a known currency and a named source', () => {
    const wrong = references.filter(
      ({ currency, per_usd }) => !codes.has(currency!) || !(Number(per_usd) > 0),
    )
    expect(wrong).toEqual([])
    const names = new Set(references.map(({ source }) => source!.replace(/ \(sample, .*/, '')))
    const owed = sources.map(({ title, publisher }) => `${publisher} ${title}`)
    expect([...names].filter((name) => !owed.some((line) => line.startsWith(name)))).toEqual([])
  })

  test('every currency has one on the last day, and SSP has none', () => {
    const newest = references.at(-1)!.fetched_at
    const last = new Set(references.filter((r) => r.fetched_at === newest).map((r) => r.currency))
    expect(last).toEqual(new Set(references.map(({ currency }) => currency)))
    expect(last.has('SSP') || codes.has('SSP')).toBe(false)
  })

  test('feeds are within 1 % of each peg on the last two days', () => {
    const doubtful = references
      .filter(({ fetched_at }) => manifest.survey.days.includes(fetched_at!.slice(0, 10)))
      .filter(({ fetched_at, currency, per_usd }) => {
        const mid = midAt(fetched_at!, 'USD', currency!)
        return Math.abs(Number(per_usd) / mid - 1) > 0.01
      })
    expect(doubtful).toEqual([])
  })

  test('the source states that it is a sample and how far it was shifted', async () => {
    const [row] = await rowsOf(sampleReferences(442))
    expect(row!.source).toBe('fawazahmed0 (sample, shifted 442 days)')
  })
})

describe('sampleShiftDays', () => {
  const newestMs = Math.max(
    ...[observations.at(-1)!.effective_from, references.at(-1)!.fetched_at].map(
      (time) => instantOf(time!)!,
    ),
  )
  const clock = fc.integer({ min: Date.UTC(2025, 8, 1), max: Date.UTC(2060, 0, 1) })

  test('the newest row ends up at most a day before now, and not after it', () => {
    const holds = (nowMs: number) => {
      const shiftedMs = newestMs + sampleShiftDays(nowMs) * DAY_MS
      return shiftedMs <= nowMs && shiftedMs > nowMs - DAY_MS
    }
    fc.assert(fc.property(clock, holds), { seed: SEED, numRuns: 2000 })
    for (let hour = 0; hour < 24; hour++) expect(holds(newestMs + (hour * DAY_MS) / 24)).toBe(true)
    for (const nowMs of [newestMs - 1, newestMs, newestMs + DAY_MS - 1, newestMs + DAY_MS])
      expect(holds(nowMs)).toBe(true)
  })

  test('at any time of day every mid is under a day old then, every survey quote under two days', () => {
    const mids = references.filter(({ fetched_at }) => fetched_at === references.at(-1)!.fetched_at)
    const derived = observations.filter(isSurveyed)
    const holds = (nowMs: number) => {
      const moved = (time: string) => instantOf(time)! + sampleShiftDays(nowMs) * DAY_MS
      const ages = (times: string[]) => times.map((time) => nowMs - moved(time))
      const midAges = ages(mids.map(({ fetched_at }) => fetched_at!))
      const quoteAges = ages(derived.map(({ effective_from }) => effective_from!))
      const isFresh = Math.max(...midAges) < DAY_MS && Math.max(...quoteAges) < 2 * DAY_MS
      return isFresh && Math.min(...midAges, ...quoteAges) >= 0
    }
    fc.assert(fc.property(clock, holds), { seed: SEED, numRuns: 200 })
  })

  test('moves every row of both files by the same whole days, and nothing else', async () => {
    const law = fc.asyncProperty(clock, async (nowMs) => {
      const days = sampleShiftDays(nowMs)
      const quotes = await rowsOf(sampleObservations(days))
      const rates = await rowsOf(sampleReferences(days))
      expect(quotes).toEqual(movedBack(quotes, observations, 'effective_from', days))
      expect(rates.map(({ source: _, ...row }) => row)).toEqual(
        movedBack(rates, references, 'fetched_at', days).map(({ source: _, ...row }) => row),
      )
      expect(timesOf(quotes, 'effective_from')[0]).toBeGreaterThan(backfillStartMs(nowMs))
    })
    await fc.assert(law, { seed: SEED, numRuns: 3 })
  })
})

const BANK_ZONES = new Map(
  sampleCatalogue('').providers.flatMap(({ id, time_zone: zone }) => (zone ? [[id, zone]] : [])),
)

/** The number of days between two times on the calendar of a zone, in milliseconds. */
function daysApart([from, to]: [number, number], timeZone: string): number {
  const [first, last] = [from, to].map((ms) => Date.parse(dateIn(ms, timeZone)))
  return last! - first!
}

/**
 * The unshifted rows under the times of the shifted ones, after checking that those are `days`
 * later.
 */
function movedBack(shifted: readonly Row[], plain: readonly Row[], column: string, days: number) {
  const plainTimes = timesOf(plain, column)
  const distances = timesOf(shifted, column).map((time, index) => {
    const zone = BANK_ZONES.get(plain[index]!.provider_id ?? '')
    return zone ? daysApart([plainTimes[index]!, time], zone) : time - plainTimes[index]!
  })
  expect([...new Set(distances)]).toEqual([days * DAY_MS])
  return plain.map((row, index) => ({ ...row, [column]: shifted[index]![column]! }))
}

describe('sampleSources', () => {
  test('names every source with its licence and what was changed', () => {
    expect(sampleSources.length).toBe(sources.length)
    expect(sampleSources.join('\n')).toContain('Remittance Prices Worldwide, The World Bank')
    for (const line of sampleSources) expect(line).toMatch(/(CC BY 4\.0|MIT|ISC|CC0)/)
  })
})
