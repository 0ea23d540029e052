import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { meantBy, nearestOf } from '~/domain/naming/misspelling.ts'

const NAMES = ['to', 'fee', 'rate', 'from', 'notes', 'fee_currency', 'effective_from']
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz_']

describe('meantBy', () => {
  test.each([
    ['efective_from', 'effective_from'],
    ['effectiveFrom', 'effective_from'],
    ['effective-form', 'effective_from'],
    ['EFFECTIVE_FROM', 'effective_from'],
    ['fees', 'fee'],
    ['Fee', 'fee'],
    ['efe', 'fee'],
    ['fe', 'fee'],
    ['note', 'notes'],
    ['rtae', 'rate'],
    ['ratess', 'rate'],
    ['form', 'from'],
    ['fee_curency', 'fee_currency'],
    ['fee_curecny', 'fee_currency'],
    ['TO', 'to'],
    ['too', 'to'],
    ['FROM_', 'from'],
  ])('%s was meant for %s', (word, name) => {
    expect(meantBy(word, NAMES)).toBe(name)
  })

  test.each(['id', 'x', '', 'ts', 'foo', 'ref', 'name', 'base', 'rate_type', 'comment'])(
    '%p is not a misspelling',
    (word) => {
      expect(meantBy(word, NAMES)).toBeNull()
    },
  )

  test('returns null for a name that exists, whatever other name is near', () => {
    for (const name of [...NAMES, 'form']) expect(meantBy(name, [...NAMES, 'form'])).toBeNull()
  })

  test('notices every one or two wrong letters in a name of five or more', () => {
    const long = NAMES.filter(({ length }) => length >= 5)
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...LETTERS), fc.nat(2)), {
      minLength: 1,
      maxLength: 2,
    })
    fc.assert(
      fc.property(fc.constantFrom(...long), edits, (name, changes) => {
        let word = name
        for (const [at, letter, kind] of changes) {
          const index = at % word.length
          const rest = word.slice(kind === 0 ? index : index + 1)
          word = word.slice(0, index) + (kind === 2 ? '' : letter) + rest
        }
        expect(meantBy(word, long)).toBe(word === name ? null : name)
      }),
    )
  })
})

/** The optimal string alignment distance by its definition. */
function distance(a: string, b: string): number {
  const [restA, restB] = [a.slice(1), b.slice(1)]
  if (a === '' || b === '') return a.length + b.length
  if (a[0] === b[0]) return distance(restA, restB)
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0]
  const ways = [distance(restA, b), distance(a, restB), distance(restA, restB)]
  return 1 + Math.min(...ways, isSwapped ? distance(a.slice(2), b.slice(2)) : ways[0]!)
}

describe('nearestOf', () => {
  test('returns the names of the smallest distance by its definition, up to the limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 6 }), fc.nat(4), (text, names, max) => {
        const near = names.map((name) => [name, distance(text, name)] as const)
        const fit = near.filter(([name, wrong]) => {
          return wrong <= max && 2 * wrong < Math.max(name.length, text.length)
        })
        const least = Math.min(...fit.map(([, wrong]) => wrong))
        const expected = fit.filter(([, wrong]) => wrong === least).map(([name]) => name)
        expect(nearestOf(text, names, max).names).toEqual(names.includes(text) ? [] : expected)
      }),
    )
  })

  test('returns every nearest name, in the given order, and the number of wrong letters', () => {
    const names = ['kenyaa', 'kenya', 'kena', 'benin', 'keniya', 'togo']
    expect(nearestOf('Kenia', names)).toEqual({ names: ['kenya', 'kena', 'keniya'], wrong: 1 })
  })

  test("counts two letters as swapped only if each is in the other's place", () => {
    expect(nearestOf('kenab', ['kenca', 'kenbc'])).toEqual({ names: ['kenca', 'kenbc'], wrong: 2 })
  })

  test('returns no name with three wrong letters, unless as many are allowed', () => {
    expect(nearestOf('fee_cuxxxncy', NAMES).names).toEqual([])
    expect(nearestOf('fee_cuxxxncy', NAMES, 3)).toEqual({ names: ['fee_currency'], wrong: 3 })
  })
})
