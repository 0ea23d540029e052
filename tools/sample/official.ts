import { join } from 'node:path'
import type { BankRate } from '~/domain/source/day.ts'
import { evaluationOf, type StatedPrice } from '~/domain/source/guard.ts'
import { dateIn } from '~/domain/source/zone.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import type { LeftOut } from './left-out.ts'
import type { Mids } from './mids.ts'
import { type BankName, recordedAnswers, recordedIn, SPANS } from './recordings.ts'

/** A rate as a central bank's source reads it from what the bank answered. */
export type OfficialPrice = StatedPrice & { readonly bank: BankName; readonly to: string }

/** Responses of the recorded banks: rates, their number by bank, and rejected ones. */
export type Official = {
  readonly names: readonly BankName[]
  readonly prices: readonly OfficialPrice[]
  readonly counts: Readonly<Record<string, number>>
  readonly leftOut: readonly LeftOut[]
}

/** The first day of rates; the importer takes five years. */
const SINCE_MS = Date.parse('2021-11-01T00:00:00Z')

/** The official rates in a directory's recordings, believed or not as a service would. */
export function officialPrices(directory: string, mids: Mids, folder = 'central_banks'): Official {
  const place = join(directory, folder)
  const names = recordedIn(place)
  const banks = names.map((name) => bankPrices(name, place, mids))
  return {
    names,
    prices: banks.flatMap(({ prices }) => prices),
    counts: Object.fromEntries(banks.map(({ file, read }) => [file, read])),
    leftOut: banks.flatMap(({ leftOut }) => leftOut),
  }
}

function bankPrices(name: BankName, folder: string, mids: Mids) {
  const bank: Bank = BANKS[name]
  const span = { ...SPANS[name], sinceMs: Math.max(SPANS[name].sinceMs, SINCE_MS) }
  const parts = recordedAnswers(name, folder).flatMap((answer) => bank.read(answer, span))
  const days = [...Map.groupBy(parts, ({ atMs }) => atMs)]
    .map(([atMs, same]) => ({ atMs, rates: same.flatMap(({ rates }) => rates) }))
    .sort((a, b) => a.atMs - b.atMs)
  const { accepted, refused } = evaluationOf({
    days,
    currency: bank.currency,
    timeZone: bank.timeZone,
    isKnown: () => true,
    midOf: (code, atMs) => mids.near(dateIn(atMs, bank.timeZone), code, bank.currency),
    known: [],
  })
  const file = `central_banks/${name}.json`
  const read = days.flatMap(({ atMs, rates }) => keysOf(atMs, rates))
  const kept = new Set(accepted.map(({ atMs, from }) => `${atMs} ${from}`))
  const refusedKeys = read.filter((key) => !kept.has(key))
  return {
    file,
    read: read.length,
    prices: accepted.map((price) => ({ ...price, bank: name, to: bank.currency })),
    leftOut: leftOutOf(file, refusedKeys, refused),
  }
}

const keysOf = (atMs: number, rates: readonly BankRate[]): string[] => [
  ...new Set(rates.map(({ currency }) => `${atMs} ${currency}`)),
]

/** One entry for all rates of a bank that were refused. */
function leftOutOf(file: string, keys: readonly string[], reasons: readonly string[]): LeftOut[] {
  if (keys.length === 0) return []
  const codes = [...new Set(keys.map((key) => key.split(' ')[1]!))].sort()
  const reason = `not believed: the answer ${reasons.join('; it ')}`
  return [{ file, what: codes.join(' '), rows: keys.length, reason }]
}
