import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { ByteText } from '~/wire/text/byte-text.ts'
import { Piece } from '~/wire/text/piece.ts'
import { character } from '../../support/characters.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const textOf = ({ bytes }: ByteText) => new TextDecoder().decode(bytes)

describe('ByteText', () => {
  test('writes a number, rounded or not, as JSON does', () => {
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

  test('writes a percentage as JSON does, rounded to 6 decimals', () => {
    const percents = fc.oneof(
      fc.double({ min: -1100, max: 1100, noNaN: true }),
      fc.double({ min: -1e-5, max: 1e-5, noNaN: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -1_001_000_000, max: 1_001_000_000 }).map((units) => units / 1e6),
      fc.integer({ min: -1100, max: 1100 }),
      fc.constantFrom(0, -0, 1e-6, -1e-6, 999.999999, 999.9999996, 1000, 0.5e-6, -0.5e-6),
    )
    const text = new ByteText()
    fc.assert(
      fc.property(percents, (x) => {
        expect(textOf(text.clear().percent(x))).toBe(JSON.stringify(roundPercent(x)))
      }),
      { numRuns: 20_000 },
    )
  })

  test('joins any number of pieces, in any script', () => {
    const text = new ByteText()
    const parts = fc.oneof(
      fc.string({ unit: character, maxLength: 300 }).map((piece) => ({ piece })),
      fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((ascii) => ({ ascii })),
      fc.integer().map((amount) => ({ number: amount })),
      fc.tuple(fc.nat(99), fc.nat(99)).map((places) => ({ again: places })),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 100 }), (all) => {
        text.clear()
        let plain = ''
        for (const part of all) {
          if ('again' in part) {
            const [start, end] = part.again
              .map((at) => Math.min(at, text.length))
              .sort((a, b) => a - b)
            const written = textOf(text)
            if (utf8(written).length === written.length) {
              text.again(start!, end!)
              plain += written.slice(start, end)
            }
            continue
          }
          if ('piece' in part) text.piece(new Piece(part.piece))
          else if ('ascii' in part) text.ascii(part.ascii)
          else text.number(part.number)
          plain += Object.values(part)[0]
        }
        expect(textOf(text)).toBe(plain)
      }),
    )
  })

  test('copies a piece unchanged, wherever its longest characters are', () => {
    const text = new ByteText()
    const end = '\u{10000}\x7f\u{10ffff}\x7f\x7f\u{10ffff}'
    for (let length = 0; length < 16; length++) {
      const piece = 'a'.repeat(length) + end
      expect(textOf(text.clear().piece(new Piece(piece)))).toBe(piece)
    }
  })
})
