import { describe, expect, test } from 'bun:test'
import type { Condition, Watched } from '~/domain/alert/alert.ts'
import { REASONS } from '~/domain/alert/reason.ts'
import { DAY_MS } from '~/domain/duration.ts'
import {
  alertTitle,
  conditionText,
  corridorText,
  destinationText,
  measuredText,
  reasonText,
} from '~/portal/alert/words.ts'
import { FURTHER_LANGUAGES } from '~/portal/words/language.ts'
import { ENGLISH, Words } from '~/portal/words/words.ts'

const GBP_KES = { from: 'GBP', to: 'KES' }

const watched = (when: Partial<Condition>, amount: number | null = null): Watched => ({
  ...{ corridor: GBP_KES, sourceCountry: null, targetCountry: null },
  amount,
  when: { field: 'best', op: 'above', value: 165.5, periodMs: null, ...when },
})

describe('conditionText', () => {
  test.each([
    [watched({}), 'the best rate rises above 165.5 KES'],
    [watched({ field: 'mid', op: 'below', value: 160 }), 'the mid-market rate falls below 160 KES'],
    [
      watched({ field: 'best_current_net', value: 1_650_000 }, 10_000),
      'what arrives for £10,000 rises above 1,650,000 KES',
    ],
    [
      watched({ field: 'total_pct', op: 'below', value: -0.5 }, 120.5),
      'the total cost of sending £120.50 falls below -0.5%',
    ],
    [
      watched({ op: 'moves_pct', value: 2 }),
      'the best rate moves by 2% either way from what it was the last time',
    ],
    [
      watched({ field: 'mid', op: 'moves_pct', value: 2.5, periodMs: 7 * DAY_MS }),
      'the mid-market rate moves by 2.5% either way in 7 days',
    ],
    [watched({ field: 'stale', op: null, value: null }), 'no price is current any more'],
    [
      watched({ field: 'stale', op: null, value: null, periodMs: DAY_MS }),
      'no price is younger than 24 hours',
    ],
  ])('%j', (alert, text) => {
    expect(conditionText(ENGLISH, alert)).toBe(text)
  })
})

describe('alertTitle', () => {
  test('is the name, or the condition of the alert', () => {
    expect(alertTitle(ENGLISH, { ...watched({}), name: 'Rent' })).toBe('Rent')
    const unnamed = alertTitle(ENGLISH, { ...watched({}), name: null })
    expect(unnamed).toBe('GBP to KES: the best rate rises above 165.5 KES')
  })
})

describe('measuredText', () => {
  test.each([
    ['best', 165.123456, '165.12 KES'],
    ['mid', 0.00060561, '0.00060561 KES'],
    ['best_current_net', 16_512.345, '16,512.35 KES'],
    ['total_pct', 2.7512, '2.75%'],
  ] as const)('%s of %d is %s', (field, value, text) => {
    expect(measuredText(ENGLISH, field, value, GBP_KES)).toBe(text)
  })
})

describe('reasonText', () => {
  test.each(FURTHER_LANGUAGES)('%s has every reason of the API, none in English', (one) => {
    for (const reason of Object.values(REASONS)) {
      const said = reasonText(Words.in(one), `${reason}KES: it hung up`)
      expect([reason, said]).toEqual([reason, expect.not.stringContaining(reason.trim())])
      expect(said).not.toContain('it hung up')
    }
  })

  test('a reason of an earlier version is shown as it was stored', () => {
    expect(reasonText(Words.in('fr'), 'the address moved')).toBe('the address moved')
  })
})

describe('destinationText', () => {
  test('names the host alone, since a URL may hold a secret', () => {
    const url = 'https://hooks.example.org/t0ken?key=1'
    expect(destinationText(ENGLISH, { kind: 'webhook', url })).toBe('hooks.example.org')
    expect(destinationText(ENGLISH, { kind: 'email' })).toBe('by mail')
  })
})

describe('corridorText', () => {
  test.each([
    [null, null, 'GBP to KES'],
    ['GB', 'KE', 'United Kingdom (GBP) to Kenya (KES)'],
    [null, 'KE', 'GBP to Kenya (KES)'],
  ])('from %p to %p is %p', (sourceCountry, targetCountry, text) => {
    expect(corridorText(ENGLISH, { corridor: GBP_KES, sourceCountry, targetCountry })).toBe(text)
  })
})
