import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { roundAmount } from '~/domain/round.ts'
import { ByteText } from '~/wire/text/byte-text.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const textOf = ({ bytes }: ByteText) => new TextDecoder().decode(bytes)

describe('ByteText', () => {
  test('a number, as it is or rounded, is written as JSON writes it', () => {
    const sizes = fc.tuple(
      fc.double({ min: -10, max: 10, noNaN: true }),
      fc.integer({ min: -20, max: 20 }),
    )
    const decimals = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 12 }))
    const numbers = fc.oneof(
      sizes.map(([x, exponent]) => x * 10 ** exponent),
      decimals.map(([digits, places]) => digits / 10 ** places),
      fc.constantFrom(0, 1, 1e6, 999_999, 1e12, 1e12 - 1, 999_999_999_999.9, 1e-6, 1e-7, 0.1, 1e27),
    )
    const text = new ByteText()
    fc.assert(
      fc.property(numbers, (x) => {
        const shown = roundAmount(x)
        expect(textOf(text.clear().number(x))).toBe(JSON.stringify(x))
        expect(textOf(text.clear().rounded(x))).toBe(JSON.stringify(shown))
      }),
      { numRuns: 20_000 },
    )
  })

  test('pieces follow each other, however many, in any script', () => {
    const text = new ByteText()
    const parts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }).map((piece) => ({ piece })),
      fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((ascii) => ({ ascii })),
      fc.integer().map((amount) => ({ number: amount })),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 100 }), (all) => {
        text.clear()
        for (const part of all) {
          if ('piece' in part) text.piece(utf8(part.piece))
          else if ('ascii' in part) text.ascii(part.ascii)
          else text.number(part.number)
        }
        const plain = all.map((part) => Object.values(part)[0]).join('')
        expect(textOf(text)).toBe(plain)
      }),
    )
  })
})
