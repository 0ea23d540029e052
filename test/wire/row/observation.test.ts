import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Observation } from '~/domain/observation.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { type RowRules, readObservationRow } from '~/wire/row/observation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { CURRENCIES, PROVIDERS, provider } from '../../support/catalogue.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const DEFAULT_MS = NOW_MS - 7
const RULES: RowRules = {
  catalogue: new CatalogueIndex({
    currencies: CURRENCIES,
    providers: [...PROVIDERS, provider('gone', { isActive: false })],
  }),
  nowMs: NOW_MS,
  defaultEffectiveMs: DEFAULT_MS,
}
const ROW = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 129.5 }

const faultsOf = (more: Record<string, unknown>): readonly string[] =>
  readObservationRow({ ...ROW, ...more }, RULES).faults ?? []

function observationOf(more: Record<string, unknown> = {}): Observation {
  const { observation, faults } = readObservationRow({ ...ROW, ...more }, RULES)
  expect(faults).toBeNull()
  return observation!
}

/** Expects exactly one error, which begins with the name of its field. */
function expectFault(more: Record<string, unknown>, field: string): void {
  const faults = faultsOf(more)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toStartWith(field)
}

describe('readObservationRow', () => {
  test('reads the shortest row: no fee, no notes, effective by default', () => {
    expect(observationOf()).toEqual({
      providerId: 'retail-a',
      rateType: 'retail',
      from: 'USD',
      to: 'KES',
      rate: '129.5',
      fee: null,
      feeCurrency: null,
      effectiveMs: DEFAULT_MS,
      notes: null,
      evidence: 'observed',
      offer: null,
    })
  })

  test('reads null as an omitted field, and ignores unknown fields', () => {
    const nothing = {
      fee: null,
      fee_currency: null,
      notes: null,
      effective_from: null,
      evidence: null,
    }
    const aliases = { source_currency: null, target_currency: null, colour: 'red', rate_type: 1 }
    expect(observationOf({ ...nothing, ...aliases })).toEqual(observationOf())
  })

  test('accepts one of three words as evidence', () => {
    for (const evidence of EVIDENCE) expect(observationOf({ evidence }).evidence).toBe(evidence)
    for (const evidence of ['Derived', 'guessed', '', 1, true, ['observed'], {}])
      expectFault({ evidence }, 'evidence must be one of observed, derived, indicative, not ')
  })

  test("reads the sender's consent as true or false, with false as the default", () => {
    const readingOf = (accept_implausible: unknown) =>
      readObservationRow({ ...ROW, accept_implausible }, RULES)
    expect(readingOf(true).faults).toBeNull()
    expect(readingOf(true)).toHaveProperty('isAccepted', true)
    for (const no of [false, null, undefined])
      expect(readingOf(no)).not.toHaveProperty('isAccepted')
    for (const [other, shown] of [
      ['true', '"true"'],
      [1, '1'],
      [[true], 'a list'],
      [{}, 'an object'],
    ])
      expect(readingOf(other).faults).toEqual([
        `accept_implausible must be true or false, not ${shown}`,
      ])
  })

  test('repeats what was sent in an error, and only the beginning of a long value', () => {
    const long = '9'.repeat(41)
    expect(faultsOf({ provider_id: true })[0]).toStartWith('provider_id true is not')
    expect(faultsOf({ provider_id: long })[0]).toStartWith(`provider_id "${'9'.repeat(40)}" is not`)
    const written = new WrittenNumber(`1x${long}`)
    expect(faultsOf({ rate: written })[0]).toEndWith(`, not 1x${'9'.repeat(38)}`)
    expect(faultsOf({ evidence: [null] })[0]).toEndWith(', not a list')
  })

  test('uses the rate type of the provider', () => {
    expect(observationOf({ provider_id: 'official-b' }).rateType).toBe('official')
    expect(observationOf({ rate_type: 'p2p' }).rateType).toBe('retail')
  })

  test('reports one error for a row that is not an object', () => {
    for (const row of [null, undefined, 1, 'row', true, [], [ROW], new WrittenNumber('1')])
      expect(readObservationRow(row, RULES).faults).toEqual(['a row must be a JSON object'])
  })

  test('reports every error of a row', () => {
    const { faults } = readObservationRow(
      {
        provider_id: 'nobody',
        from: 'XXX',
        rate: -1,
        fee: 'free',
        fee_currency: 'YYY',
        notes: 5,
        effective_from: 'yesterday',
      },
      RULES,
    )
    const fields = faults?.map((fault) => fault.split(' ')[0])
    expect(fields).toEqual([
      'provider_id',
      'from',
      'target_currency',
      'rate',
      'fee',
      'fee_currency',
      'notes',
      'effective_from',
    ])
    expect(readObservationRow({}, RULES).faults).toHaveLength(4)
  })

  test('ignores inherited fields', () => {
    const row = Object.create({ ...ROW })
    expect(readObservationRow(row, RULES).faults).toHaveLength(4)
    const poisoned = JSON.parse('{"__proto__":{"rate":1,"provider_id":"retail-a"}}')
    expect(readObservationRow(poisoned, RULES).faults).toHaveLength(4)
  })
})

describe('provider_id of a row', () => {
  test('must be an active provider, by its exact id', () => {
    for (const id of ['nobody', 'gone', 'RETAIL-A', ' retail-a', '', 5, true, {}, ['retail-a']])
      expectFault({ provider_id: id }, 'provider_id')
    expectFault({ provider_id: null }, 'provider_id is required')
    expectFault({ provider_id: undefined }, 'provider_id is required')
  })

  test('is shown only by its beginning if it is long', () => {
    expect(faultsOf({ provider_id: 'x'.repeat(10_000) })[0]!.length).toBeLessThan(150)
  })
})

describe('the corridor of a row', () => {
  const corridorOf = (row: Record<string, unknown>) => {
    const { from, to } = observationOf({ from: null, to: null, ...row })
    return `${from}/${to}`
  }

  test('may be given by full names, by aliases, and by one of each', () => {
    expect(corridorOf({ source_currency: 'GBP', target_currency: 'NGN' })).toBe('GBP/NGN')
    expect(corridorOf({ from: 'GBP', to: 'NGN' })).toBe('GBP/NGN')
    expect(corridorOf({ from: 'GBP', target_currency: 'NGN' })).toBe('GBP/NGN')
    expect(corridorOf({ from: ' gbp', to: 'ngn ' })).toBe('GBP/NGN')
  })

  test('must agree, in any case, if it is given both ways', () => {
    expect(corridorOf({ from: 'usd', source_currency: 'USD', to: 'KES' })).toBe('USD/KES')
    expectFault({ source_currency: 'GBP' }, 'source_currency and from differ')
    expectFault({ target_currency: 'GBP' }, 'target_currency and to differ')
  })

  test('is reported by the wrong one of two names', () => {
    expectFault({ source_currency: 'XXX' }, 'source_currency')
    expectFault({ from: 'XXX', source_currency: 'USD' }, 'from')
    expect(faultsOf({ from: 'XXX', source_currency: 'YYY' })).toHaveLength(2)
  })

  test('needs both sides, and they must differ', () => {
    expectFault({ from: null }, 'source_currency (or from) is required')
    expectFault({ to: undefined }, 'target_currency (or to) is required')
    expectFault({ to: 'usd' }, 'source and target currency are both USD')
  })

  test('has to consist of active currencies', () => {
    for (const code of ['XXX', 'SLL', '', 'US', 'USDOLLAR', 5, {}, ['USD'], new WrittenNumber('1')])
      expectFault({ from: code }, 'from')
  })
})

describe('rate and fee of a row', () => {
  test('a rate is accepted at 1e-12 and at 1e12, and refused beyond', () => {
    expect(observationOf({ rate: 1e-12 }).rate).toBe('1e-12')
    expect(observationOf({ rate: 1e12 }).rate).toBe('1000000000000')
    for (const rate of [9.9e-13, 1.0001e12, 0, -0, -1, 5e-324, 1.7e308])
      expectFault({ rate }, 'rate must be between')
  })

  test('a fee is accepted from zero to its maximum, and refused outside', () => {
    expect(observationOf({ fee: 0 })).toMatchObject({ fee: '0', feeCurrency: 'USD' })
    expect(observationOf({ fee: 1e15 }).fee).toBe('1000000000000000')
    for (const fee of [-0.01, 1.0001e15]) expectFault({ fee }, 'fee must be between')
    for (const text of ['-1e-400', '1e-400', '1000000000000000.01'])
      expectFault({ fee: new WrittenNumber(text) }, 'fee must be between')
    expect(observationOf({ fee: new WrittenNumber('1e15') }).fee).toBe('1e15')
    expect(observationOf({ fee: new WrittenNumber('-0') }).fee).toBe('-0')
  })

  test.each(['1,284.50', '1,284', '1284,5', '1.284,50', ' 12,345,678.9'])(
    'have an error that shows the right notation if %p has commas',
    (value) => {
      for (const field of ['rate', 'fee'])
        expectFault(
          { [field]: value },
          `${field} must be a number with a decimal point and without commas between its ` +
            `thousands, such as 1284.50, not`,
        )
    },
  )

  test('must be finite JSON numbers, not strings', () => {
    for (const field of ['rate', 'fee'])
      for (const value of [
        '1',
        '',
        true,
        {},
        [1],
        ['1,284.50'],
        Number.NaN,
        Number.POSITIVE_INFINITY,
      ])
        expectFault({ [field]: value }, `${field} must be a finite JSON number`)
  })

  test('a rate is required, a fee is not', () => {
    expectFault({ rate: null }, 'rate is required')
    expectFault({ rate: undefined }, 'rate is required')
    expect(observationOf({ fee: undefined }).fee).toBeNull()
  })

  test('18 significant digits are kept to the last, and a 19th is refused', () => {
    const kept = new WrittenNumber('123.456789012345678')
    expect(observationOf({ rate: kept }).rate).toBe('123.456789012345678')
    expectFault({ rate: new WrittenNumber('123.4567890123456789') }, 'rate has more than 18')
    const padded = new WrittenNumber('123.456789012345678000000')
    expect(observationOf({ rate: padded }).rate).toBe('123.456789012345678000000')
  })

  test('have the same bounds as a number in a string', () => {
    expectFault({ rate: new WrittenNumber('1000000000000.001') }, 'rate must be between')
    expectFault({ rate: new WrittenNumber('1.00000000000000000e999') }, 'rate must be')
    for (const text of ['1e999', '', '0x10', 'Infinity'])
      expectFault({ rate: new WrittenNumber(text) }, 'rate must be a finite JSON number')
    expectFault({ fee: new WrittenNumber('-0.00000000000000000001') }, 'fee must be between')
  })

  test('a fee is in the source currency unless it names another', () => {
    expect(observationOf({ fee: 2 }).feeCurrency).toBe('USD')
    expect(observationOf({ fee: 2, fee_currency: 'kes' }).feeCurrency).toBe('KES')
    expect(observationOf({ fee: 2, fee_currency: 'GBP' }).feeCurrency).toBe('GBP')
    expectFault({ fee: 2, fee_currency: 'SLL' }, 'fee_currency')
    expectFault({ fee_currency: 5 }, 'fee_currency')
  })

  test('a double is recorded as the shortest decimal that is that double', () => {
    const doubles = fc.double({ min: 1e-12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(doubles, (rate) => {
        expect(Number(observationOf({ rate }).rate)).toBe(rate)
      }),
    )
  })
})

describe('notes of a row', () => {
  test('may be empty or have up to 500 characters', () => {
    expect(observationOf({ notes: '' }).notes).toBe('')
    expect(observationOf({ notes: 'x'.repeat(500) }).notes).toHaveLength(500)
    expectFault({ notes: 'x'.repeat(501) }, 'notes must have at most 500')
  })

  test('count a character as one, however many units it takes', () => {
    expect(observationOf({ notes: '💱'.repeat(500) }).notes).toBe('💱'.repeat(500))
    expectFault({ notes: '💱'.repeat(501) }, 'notes must have at most 500')
  })

  test('must be a string that a database can store', () => {
    for (const notes of ['a\0b', '\ud800', 'x\udc00']) expectFault({ notes }, 'notes must be valid')
    for (const notes of [5, true, {}, ['x'], new WrittenNumber('1')])
      expectFault({ notes }, 'notes must be a text')
  })
})

describe('effective_from of a row', () => {
  const at = (ms: number) => ({ effective_from: new Date(ms).toISOString() })
  const FIVE_YEARS_BACK_MS = Date.parse('2021-03-05T14:25:30.500Z')

  test('may be now, and not a millisecond later', () => {
    expect(observationOf(at(NOW_MS)).effectiveMs).toBe(NOW_MS)
    expectFault(at(NOW_MS + 1), 'effective_from must not be in the future')
  })

  test('may be five years back, and not a millisecond more', () => {
    expect(observationOf(at(FIVE_YEARS_BACK_MS)).effectiveMs).toBe(FIVE_YEARS_BACK_MS)
    expectFault(at(FIVE_YEARS_BACK_MS - 1), 'effective_from must not be more than 5 years back')
  })

  test('may have any offset', () => {
    const effective_from = '2026-03-05T17:25:30.500+03:00'
    expect(observationOf({ effective_from }).effectiveMs).toBe(NOW_MS)
    expectFault({ effective_from: '2026-03-05T17:25:30.501+03:00' }, 'effective_from')
  })

  test('must be a date-time with its offset', () => {
    for (const effective_from of [
      '',
      'now',
      '2026-03-05',
      '2026-03-05T14:00:00',
      1772720730,
      ['2026-03-05T14:00:00Z'],
      {},
      [],
    ])
      expectFault({ effective_from }, 'effective_from must be an ISO-8601')
    expectFault({ effective_from: '2026-02-30T00:00:00Z' }, 'effective_from must be an ISO-8601')
  })
})

test('readObservationRow returns a row or errors, whatever the row holds', () => {
  const fields = [
    'provider_id',
    'from',
    'to',
    'rate',
    'fee',
    'fee_currency',
    'notes',
    'effective_from',
  ]
  const rows = fc.dictionary(
    fc.oneof(fc.constantFrom(...fields), fc.string()),
    fc.oneof(fc.jsonValue(), fc.constantFrom('USD', 'KES', 'retail-a', '2026-03-05T14:00:00Z')),
  )
  fc.assert(
    fc.property(rows, (row) => {
      const { observation, faults } = readObservationRow(row, RULES)
      expect(observation === null).toBe(faults !== null)
      if (faults) expect(faults.length).toBeGreaterThan(0)
    }),
  )
})
