import { describe, expect, test } from 'bun:test'
import { isEmail, isKeyName, KEY_NAME_LENGTH_MAX } from '~/domain/account.ts'

/** https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters */
const TURNING = [
  ...['\u061C', '\u200E', '\u200F', '\u202A', '\u202B', '\u202C', '\u202D', '\u202E'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
]

describe('isKeyName', () => {
  test('accepts a line in any script, up to its length', () => {
    for (const name of ['web', 'Ünïcödé ✓', 'مفتاح الخادم', 'x'.repeat(KEY_NAME_LENGTH_MAX)])
      expect([name, isKeyName(name)]).toEqual([name, true])
  })

  test('refuses an empty text, two lines, half a character and a text that is too long', () => {
    for (const name of ['', 'a\nb', 'a\0', '\uD800', 'x'.repeat(KEY_NAME_LENGTH_MAX + 1)])
      expect([name, isKeyName(name)]).toEqual([name, false])
  })

  test.each(TURNING)('refuses %j, which changes the direction of what follows', (mark) => {
    expect(isKeyName(`live ${mark}yek`)).toBe(false)
    expect(isEmail(`ada${mark}@example.org`)).toBe(false)
    expect(isEmail(`ada@example${mark}.org`)).toBe(false)
  })
})
