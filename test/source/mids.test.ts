import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { BankRate } from '~/domain/source/day.ts'
import { dateIn } from '~/domain/source/zone.ts'
import { sampleReferences } from '~/sample/sample.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { answersOf, type BankName, NAMES, SPANS } from './recordings.ts'

type Reference = { fetched_at: string; currency: string; per_usd: string }

const references: Reference[] = parse(await new Response(sampleReferences(0)).text(), {
  columns: true,
})
const perUsd = new Map<string, Map<string, number>>()
for (const { fetched_at, currency, per_usd } of references) {
  const day = fetched_at.slice(0, 10)
  if (!perUsd.has(day)) perUsd.set(day, new Map([['USD', 1]]))
  perUsd.get(day)!.set(currency, Number(per_usd))
}

/** The day with mids that is nearest to a day; up to eight weeks away if the feed has gaps. */
const nearest = (day: string): string =>
  [...perUsd.keys()].reduce((a, b) => (gap(a, day) <= gap(b, day) ? a : b))
const gap = (a: string, b: string): number => Math.abs(Date.parse(a) - Date.parse(b))

const priceOf = ({ unit, buying, central, selling }: BankRate): number =>
  (central === null ? (Number(buying) + Number(selling)) / 2 : Number(central)) / unit

/**
 * Larger distances in the recordings: Libya's dinar at the bank of Morocco, a second price of the
 * pound on 16 April in The Gambia, and some of Tanzania, whose recording contradicts the other
 * banks of that week.
 */
const FAR: Readonly<Record<string, readonly string[]>> = {
  ...{ bam: ['LYD'], cbg: ['GBP'], bota: ['GHS', 'ZMW'] },
}

describe('unit and direction, against the mids of the day', () => {
  for (const name of NAMES)
    test(`of ${name} every rate is within a quarter of the mid`, async () => {
      const bank: Bank = BANKS[name]
      const far = new Set<string>()
      let compared = 0
      for (const answer of answersOf(name))
        for (const { atMs, rates } of bank.read(answer, SPANS[name])) {
          const day = dateIn(atMs, bank.timeZone)
          if (day < '2024-01-01') continue
          const mids = perUsd.get(nearest(day))!
          for (const rate of rates) {
            const foreign = mids.get(rate.currency)
            if (foreign === undefined) continue
            const ratio = priceOf(rate) / (mids.get(bank.currency)! / foreign)
            if (Math.abs(ratio - 1) > 0.25) far.add(rate.currency)
            compared++
          }
        }
      expect([...far].sort()).toEqual([...(FAR[name] ?? [])])
      expect(compared).toBeGreaterThan(0)
    })
})

/** Distances of a bank's rates from the mids, in basis points, by its recorded day. */
function distancesOf(name: BankName): Map<string, number[]> {
  const bank: Bank = BANKS[name]
  const distances = new Map<string, number[]>()
  for (const answer of answersOf(name))
    for (const { atMs, rates } of bank.read(answer, SPANS[name])) {
      const day = dateIn(atMs, bank.timeZone)
      const mids = perUsd.get(nearest(day))!
      const known = rates.filter(({ currency }) => mids.has(currency))
      const found = distances.getOrInsertComputed(day, () => [])
      for (const rate of known) {
        const mid = mids.get(bank.currency)! / mids.get(rate.currency)!
        found.push(Math.abs(priceOf(rate) / mid - 1) * 10_000)
      }
    }
  return distances
}

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

describe('docs/data.md', async () => {
  const docs = await Bun.file(join(import.meta.dir, '../../docs/data.md')).text()
  test.each(NAMES)('says how far %s is from the mids', (name) => {
    const distances = distancesOf(name)
    const ascending = [...distances.keys()].sort()
    const day = ascending.reduce((a, b) => (gap(nearest(b), b) <= gap(nearest(a), a) ? b : a))
    const row = docs.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
    expect(row).toEndWith(`| ${day}: ${Math.round(medianOf(distances.get(day)!))} |`)
  })
})
