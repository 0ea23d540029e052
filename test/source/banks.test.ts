import { describe, expect, test } from 'bun:test'
import { quotientText } from '~/domain/decimal.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { BankRate } from '~/domain/source/day.ts'
import type { Bank } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'
import { answersOf, askedOf, type BankName, foldersOf, NAMES, SPANS } from './recordings.ts'

type Expected = {
  /** The number of requests for the recorded span. */
  asked: number
  oldest: string
  newest: string
  /** The number of currencies of the newest day. */
  currencies: number
  /** Rates of the newest day, copied by hand from the bank's response. */
  rates: readonly BankRate[]
}

const central = (currency: string, price: string, unit = 1): BankRate => ({
  currency,
  unit,
  ...{ buying: null, central: price, selling: null },
})

const turned = (currency: string, price: string, own: string): BankRate => ({
  ...central(currency, quotientText('1', price)!),
  stated: `${price} ${currency} for 1 ${own}`,
})

type Sides = [buying: string, central: string | null, selling: string]

const sided = (currency: string, [buying, middle, selling]: Sides, unit = 1): BankRate => ({
  currency,
  unit,
  ...{ buying, central: middle, selling },
})

const EXPECTED: Readonly<Record<BankName, Expected>> = {
  bam: {
    asked: 2,
    oldest: '2026-03-25T11:30:00.000Z',
    newest: '2026-03-26T11:30:00.000Z',
    currencies: 30,
    rates: [
      ...[central('USD', '9.3261'), central('EUR', '10.7729'), central('JPY', '5.8475', 100)],
      ...[central('XOF', '1.6423', 100), central('DZD', '0.7024', 10)],
      central('MRU', '23.569', 100),
    ],
  },
  bceao: {
    asked: 2,
    oldest: '2026-03-16T00:00:00.000Z',
    newest: '2026-03-19T00:00:00.000Z',
    currencies: 27,
    rates: [central('EUR', '655.957'), central('USD', '606.15'), central('KWD', '1953.75')],
  },
  bct: {
    asked: 2,
    oldest: '2026-05-18T23:00:00.000Z',
    newest: '2026-05-19T23:00:00.000Z',
    currencies: 20,
    rates: [
      ...[central('USD', '2.9048'), central('EUR', '3.3891'), central('JPY', '18.423', 1000)],
      ...[central('DKK', '45.4665', 100), central('MRU', '0.7308', 10)],
    ],
  },
  bna: {
    asked: 1,
    oldest: '2026-05-18T23:00:00.000Z',
    newest: '2026-05-20T23:00:00.000Z',
    currencies: 64,
    rates: [central('USD', '913.116'), central('ALL', '11.17098'), central('STN', '43.51528')],
  },
  bnrrw: {
    asked: 16,
    oldest: '2026-05-18T22:00:00.000Z',
    newest: '2026-05-21T22:00:00.000Z',
    currencies: 16,
    rates: [
      sided('USD', ['1458.3525', '1463.3525', '1468.3525']),
      sided('UGX', ['0.385734', '0.387057', '0.388379']),
    ],
  },
  bob: {
    asked: 1,
    oldest: '2009-04-26T22:00:00.000Z',
    newest: '2026-03-18T22:00:00.000Z',
    currencies: 6,
    rates: [
      ...[turned('USD', '0.0748', 'BWP'), turned('JPY', '11.95', 'BWP')],
      ...[turned('CNY', '0.5165', 'BWP'), turned('ZAR', '1.2717', 'BWP')],
    ],
  },
  bota: {
    asked: 2,
    oldest: '2026-05-18T21:00:00.000Z',
    newest: '2026-05-18T21:00:00.000Z',
    currencies: 42,
    rates: [
      sided('USD', ['2589.05', '2602.0545', '2615.06']),
      sided('UGX', ['0.7', '0.705', '0.71']),
      sided('KWD', ['8430.1', '8472.3', '8514.5']),
    ],
  },
  cbe: {
    asked: 2,
    oldest: '2026-03-31T22:00:00.000Z',
    newest: '2026-04-08T22:00:00.000Z',
    currencies: 18,
    rates: [
      sided('USD', ['53.0734', null, '53.2067']),
      sided('JPY', ['33.4068', null, '33.4928'], 100),
    ],
  },
  cbg: {
    asked: 4,
    oldest: '2000-01-07T00:00:00.000Z',
    newest: '2026-05-22T00:00:00.000Z',
    currencies: 4,
    rates: [
      ...[central('USD', '72.39'), central('EUR', '86.28')],
      ...[central('GBP', '97.99'), central('CHF', '91.71')],
    ],
  },
  cbk: {
    asked: 1,
    oldest: '2024-01-04T21:00:00.000Z',
    newest: '2026-03-18T21:00:00.000Z',
    currencies: 21,
    rates: [
      ...[central('USD', '129.52'), central('JPY', '81.2', 100)],
      ...[turned('UGX', '29.09', 'KES'), turned('BIF', '22.92', 'KES')],
    ],
  },
  cbllr: {
    asked: 1,
    oldest: '2026-04-11T00:00:00.000Z',
    newest: '2026-05-23T00:00:00.000Z',
    currencies: 1,
    rates: [sided('USD', ['182.0819', null, '183.9653'])],
  },
  cbn: {
    asked: 1,
    oldest: '2026-05-13T23:00:00.000Z',
    newest: '2026-05-20T23:00:00.000Z',
    currencies: 11,
    rates: [
      sided('USD', ['1371.3079', '1371.8079', '1372.3079']),
      sided('XOF', ['2.41', '2.42', '2.43']),
    ],
  },
  nbe: {
    asked: 2,
    oldest: '2026-05-17T21:00:00.000Z',
    newest: '2026-05-18T21:00:00.000Z',
    currencies: 18,
    rates: [sided('JPY', ['0.9894', '0.9944', '0.9993'])],
  },
  rbm: {
    asked: 1,
    oldest: '2024-01-03T22:00:00.000Z',
    newest: '2024-01-04T22:00:00.000Z',
    currencies: 35,
    rates: [
      sided('USD', ['1666.7326', '1683.3663', '1700']),
      sided('TZS', ['0.664', '0.6707', '0.6773']),
    ],
  },
  sarb: {
    asked: 23,
    oldest: '2026-03-23T22:00:00.000Z',
    newest: '2026-03-26T22:00:00.000Z',
    currencies: 23,
    rates: [
      ...[central('USD', '17.1302'), central('GBP', '22.8173')],
      ...[turned('JPY', '9.3324', 'ZAR'), turned('CHF', '0.0465', 'ZAR')],
    ],
  },
}

/** The rates of a bank's recorded responses, by time, oldest first; of the last year, if all. */
async function daysOf(name: BankName, folder: string) {
  const bank: Bank = BANKS[name]
  const { sinceMs, untilMs } = SPANS[name]
  const yearMs = isCut(folder) ? Number.POSITIVE_INFINITY : 365 * DAY_MS
  const span = { sinceMs: Math.max(sinceMs, untilMs - yearMs), untilMs }
  const days = new Map<number, BankRate[]>()
  for (const answer of answersOf(name, folder))
    for (const { atMs, rates } of bank.read(answer, span))
      days.set(atMs, [...(days.get(atMs) ?? []), ...rates])
  return [...days].sort(([a], [b]) => a - b)
}

const isCut = (folder: string): boolean => folder.endsWith('recordings')

const isoOf = (atMs: number): string => new Date(atMs).toISOString()

for (const name of NAMES)
  describe(name, () => {
    const { asked, oldest, newest, currencies, rates } = EXPECTED[name]

    test('makes exactly the recorded requests', async () => {
      expect(askedOf(name)).toHaveLength(asked)
    })

    for (const folder of foldersOf(name))
      test(`reads the rates of ${isCut(folder) ? 'a few days' : 'a year'}`, async () => {
        const days = await daysOf(name, folder)
        const [lastMs, last] = days.at(-1)!
        expect(isoOf(lastMs)).toBe(newest)
        expect(last.filter(({ currency }) => rates.some((r) => r.currency === currency))).toEqual(
          expect.arrayContaining([...rates]),
        )
        expect(new Set(last.map(({ currency }) => currency)).size).toBe(currencies)
        if (isCut(folder)) expect(isoOf(days[0]![0])).toBe(oldest)
      })

    test('leaves out the days before those that were requested', async () => {
      const bank: Bank = BANKS[name]
      const sinceMs = Date.parse(newest)
      const days = answersOf(name).flatMap((answer) =>
        bank.read(answer, { sinceMs, untilMs: SPANS[name].untilMs }),
      )
      expect([...new Set(days.map(({ atMs }) => isoOf(atMs)))]).toEqual([newest])
    })
  })
