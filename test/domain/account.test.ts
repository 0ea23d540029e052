import { describe, expect, test } from 'bun:test'
import {
  EMAIL_LENGTH_MAX,
  idsIn,
  isEmail,
  isKeyName,
  isReadOnly,
  isRevoked,
  KEY_NAME_LENGTH_MAX,
  KEY_ORIGINS_MAX,
  keyOriginsOf,
  limitFault,
} from '~/domain/account.ts'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import { OVERLAPS_MS } from '~/service/own-keys.ts'

/** https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters */
const TURNING = [
  ...['\u061C', '\u200E', '\u200F', '\u202A', '\u202B', '\u202C', '\u202D', '\u202E'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
]

describe('isKeyName', () => {
  test('accepts a line in any script, up to the length limit', () => {
    for (const name of ['web', 'Ünïcödé ✓', 'مفتاح الخادم', 'x'.repeat(KEY_NAME_LENGTH_MAX)])
      expect([name, isKeyName(name)]).toEqual([name, true])
  })

  test('refuses an empty string, two lines, half a character and a string that is too long', () => {
    for (const name of ['', 'a\nb', 'a\0', '\uD800', 'x'.repeat(KEY_NAME_LENGTH_MAX + 1)])
      expect([name, isKeyName(name)]).toEqual([name, false])
  })

  test.each(TURNING)('refuses %j, which changes the text direction', (mark) => {
    expect(isKeyName(`live ${mark}yek`)).toBe(false)
    expect(isEmail(`ada${mark}@example.org`)).toBe(false)
    expect(isEmail(`ada@example${mark}.org`)).toBe(false)
  })
})

describe('keyOriginsOf', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `https://a${i}.example`)

  test('returns up to ten origins as browsers send them, without duplicates', () => {
    expect(
      keyOriginsOf(' https://Shop.example/,https://shop.example\nhttp://a.example:8080'),
    ).toEqual(['https://shop.example', 'http://a.example:8080'])
    expect(keyOriginsOf('https://shop.example:443')).toEqual(['https://shop.example'])
    expect(keyOriginsOf(' ')).toEqual([])
    expect(keyOriginsOf(many(KEY_ORIGINS_MAX).join())).toEqual(many(KEY_ORIGINS_MAX))
  })

  test.each([
    ...['shop.example', '*', 'https://', 'https://shop.example/prices', 'https://a.example?b'],
    ...['https://me@shop.example', 'ftp://shop.example', 'https://a b', many(11).join()],
  ])('refuses %s', (text) => {
    expect(keyOriginsOf(text)).toBeNull()
  })
})

describe('returns the ids between the commas, without spaces', () => {
  test('are the ids between the commas, without spaces', () => {
    expect(idsIn(' wise, remitly ,,xe')).toEqual(['wise', 'remitly', 'xe'])
    expect(idsIn(' , ')).toEqual([])
  })
})

describe('limitFault', () => {
  const isProvider = (id: string) => id === 'wise'

  test('returns null for known providers of a treasury account, and when nothing is limited', () => {
    expect(limitFault({ role: 'treasury', ids: ['wise'], isProvider })).toBeNull()
    expect(limitFault({ role: 'member', ids: [], isProvider })).toBeNull()
  })

  test('names the role of an account that is not treasury, and each unknown provider', () => {
    expect(limitFault({ role: 'member', ids: ['wise'], isProvider })).toContain('is member')
    expect(limitFault({ role: 'treasury', ids: ['a', 'wise', 'b'], isProvider })).toContain(
      'has the id a or b;',
    )
  })
})

describe('isEmail', () => {
  test('accepts an address of the greatest length, and none that is longer', () => {
    const address = (length: number) => 'a@'.padEnd(length, 'b')
    expect(isEmail(address(EMAIL_LENGTH_MAX))).toBe(true)
    expect(isEmail(address(EMAIL_LENGTH_MAX + 1))).toBe(false)
    expect(['ada', 'a@b@c', '@b', 'a@', 'a b@c'].filter(isEmail)).toEqual([])
  })
})

describe('isRevoked', () => {
  test('returns true from the time at which the key stops working', () => {
    expect(isRevoked({ revokedMs: 10 }, 9)).toBe(false)
    expect(isRevoked({ revokedMs: 10 }, 10)).toBe(true)
    expect(isRevoked({ revokedMs: null }, 10)).toBe(false)
  })

  test('stays true after a clock that was ahead is turned back, and lets a replaced key end', () => {
    expect(isRevoked({ revokedMs: 365 * DAY_MS }, 0)).toBe(true)
    const ends = Math.max(...Object.values(OVERLAPS_MS))
    expect(isRevoked({ revokedMs: ends + MINUTE_MS }, 0)).toBe(false)
  })
})

describe('isReadOnly', () => {
  test('returns true for a key with a budget of its own', () => {
    expect([{ dailyBudget: 1 }, { dailyBudget: null }, {}].map(isReadOnly)).toEqual([
      ...[true, false, false],
    ])
  })
})
