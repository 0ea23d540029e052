import { describe, expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { base64 } from '~/evidence/base64.ts'
import { entryBytes, SALT_BYTES } from '~/evidence/entry.ts'

const SALT = Buffer.alloc(SALT_BYTES, 1)
const textOf = (more: object) =>
  Buffer.from(entryBytes({ kind: 'catalogue', id: 1, ...more }, SALT)).toString()
/** The text of a nested value of an entry. */
const written = (row: unknown) => /"row":(.*),"salt"/s.exec(textOf({ row }))![1]!

/** https://www.rfc-editor.org/rfc/rfc8785#appendix-B */
const NUMBERS: [bits: string, text: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]

/** Names of columns, unlike numbers, keep their order in an object. */
const isColumn = (name: string) => name !== '__proto__' && !/^\d/.test(name)

describe('an entry', () => {
  test.each(NUMBERS)('writes the number %s of RFC 8785 as %s', (bits, text) => {
    const value = Buffer.from(bits, 'hex').readDoubleBE()
    expect(written([value])).toBe(`[${text}]`)
    expect(textOf({ value })).toContain(`"value":${text}}`)
  })

  test('writes strings and literals as the example of RFC 8785, 3.2.2', () => {
    const numbers = JSON.parse(
      '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]',
    )
    const string = '\u20ac$\u000f\u000aA\u0027\u0042\u0022\u005c\\"/'
    expect(written({ numbers, string, literals: [null, true, false] })).toBe(
      '{"literals":[null,true,false],' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        `"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
    )
  })

  test('has its fields in the order of the example of RFC 8785, 3.2.3', () => {
    const said = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const order = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
    const names = (text: string) =>
      [...text.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, name]) => JSON.parse(`"${name}"`))
    expect(names(written(said))).toEqual(order)
    const { 1: _, ...named } = said
    const own = names(textOf(named)).filter((name) => order.includes(name))
    expect(own).toEqual(order.filter((name) => name !== '1'))
  })

  test('equals the output of the library, without null fields', () => {
    const value = fc.oneof(
      ...[fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true, noDefaultInfinity: true })],
      ...[fc.boolean(), fc.constant(null), fc.dictionary(fc.string(), fc.string())],
    )
    const name = fc.string({ unit: 'grapheme', maxLength: 8 }).filter(isColumn)
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 8 }), (said) => {
        const known = Object.entries({ kind: 'catalogue', id: 1, ...said, salt: base64(SALT) })
        const present = Object.fromEntries(known.filter(([, one]) => one !== null))
        expect(textOf(said)).toBe(canonicalize(present)!)
      }),
    )
  })
})
