import { describe, expect, test } from 'bun:test'
import { isOneLine } from '~/domain/naming/one-line.ts'

describe('isOneLine', () => {
  const fine = ['a', 'Express ½ €', "Côte d'Ivoire", 'ትራንስፈር', '❤️', '日本', 'a\u00a0b']
  test.each(fine)('accepts %j', (text) => {
    expect(isOneLine(text)).toBe(true)
  })

  const hidden = {
    control: ['\0', '\t', '\n', '\r', '\x7f', '\x85'],
    'line-separator': ['\u2028', '\u2029'],
    bidi: ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
    'zero-width': ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u{e0041}'],
    'half a': ['\ud83d'],
  }
  for (const [kind, characters] of Object.entries(hidden))
    test(`refuses a ${kind} character anywhere`, () => {
      for (const one of characters)
        for (const text of [`${one}ab`, `a${one}b`, `ab${one}`])
          expect([JSON.stringify(text), isOneLine(text)]).toEqual([JSON.stringify(text), false])
    })

  test.each(['', ' ', '\u3000', '\u3164', '\ufe0f'])('refuses %j, which is invisible', (text) => {
    expect(isOneLine(text)).toBe(false)
  })
})
