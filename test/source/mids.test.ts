import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import type { BankRate } from '~/domain/source/day.ts'
import { dateIn } from '~/domain/source/zone.ts'
import { sampleReferences } from '~/sample/sample.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { answersOf, NAMES, SPANS } from './recordings.ts'

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
