import { describe, expect, test } from 'bun:test'
import { type TObject, Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { ServiceError } from '~/domain/errors.ts'
import { words } from '~/wire/fields.ts'
import {
  ConvertQuery,
  CorridorQuery,
  FetchMultiQuery,
  NoQuery,
  ProviderQuery,
} from '~/wire/parameters.ts'
import { readQuery } from '~/wire/query.ts'
import { character } from '../support/characters.ts'

const PagedQuery = Type.Object({
  period: words(['1d', '7d', '30d'], { default: '30d' }),
  provider: Type.Optional(Type.String({ description: 'A provider id.', maxLength: 5 })),
  limit: Type.Integer({ minimum: 1, maximum: 5000, default: 500 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
})

const read = <S extends TObject>(schema: S, query: string) =>
  readQuery(schema, `http://localhost/api/v1/x${query}`)

/** The error's code and the parameter that it names. */
function faultOf(schema: TObject, query: string): string {
  try {
    read(schema, query)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code, message, details } = error
    expect(message).toStartWith(String(details.parameter))
    return `${code} ${details.parameter}`
  }
  return 'none'
}

const amountOf = (text: string) => read(ConvertQuery, `?from=USD&to=KES&amount=${text}`).amount
const amountFault = (text: string) => faultOf(ConvertQuery, `?from=USD&to=KES&amount=${text}`)
const codesOf = (text: string) => read(FetchMultiQuery, `?from=USD&to=${text}`).to
const codesFault = (text: string) => faultOf(FetchMultiQuery, `?from=USD&to=${text}`)

describe('readQuery', () => {
  test('reads what the schema declares and ignores everything else', () => {
    expect(read(CorridorQuery, '?from=USD&to=KES&extra=1&extra=2&__proto__=x')).toEqual({
      from: 'USD',
      to: 'KES',
    })
  })

  test('decodes names and values, a plus being a space, and trims', () => {
    expect(read(CorridorQuery, '?fr%6Fm=U%53D&to=+KES%20')).toEqual({ from: 'USD', to: 'KES' })
  })

  test('keeps further equals signs in a value', () => {
    expect(read(ProviderQuery, '?provider=a=b=c').provider).toBe('a=b=c')
  })

  test('names a missing parameter with its valid values', () => {
    expect(faultOf(CorridorQuery, '')).toBe('missing_parameter from')
    expect(faultOf(CorridorQuery, '?')).toBe('missing_parameter from')
    expect(faultOf(CorridorQuery, '?from=USD')).toBe('missing_parameter to')
    expect(faultOf(CorridorQuery, '?from=USD&TO=KES')).toBe('missing_parameter to')
    expect(() => read(CorridorQuery, '?from=USD')).toThrow('target currency code')
  })

  test('names a repeated parameter, even with the same value or an encoded name', () => {
    expect(faultOf(CorridorQuery, '?from=USD&from=USD&to=KES')).toBe('repeated_parameter from')
    expect(faultOf(CorridorQuery, '?from=USD&to=KES&t%6F=')).toBe('repeated_parameter to')
    expect(() => read(CorridorQuery, '?from=1&from=2&from=3&to=KES')).toThrow('appears 3 times')
  })

  test('names an empty parameter, and one of spaces', () => {
    for (const empty of ['', '+', '%20%09', '%C2%A0'])
      expect(faultOf(CorridorQuery, `?from=${empty}&to=KES`)).toBe('invalid_parameter from')
    expect(faultOf(CorridorQuery, '?from&to=KES')).toBe('invalid_parameter from')
  })

  test('names a parameter with broken percent-encoding in its value, and ignores one with it in its name', () => {
    for (const broken of ['%', '%G0', '%2', '%FF', '%C3'])
      expect(faultOf(CorridorQuery, `?from=${broken}&to=KES`)).toBe('invalid_parameter from')
    expect(read(CorridorQuery, '?%FF=1&from=USD&to=KES').from).toBe('USD')
    expect(faultOf(CorridorQuery, '?fro%=USD&to=KES')).toBe('missing_parameter from')
  })

  test('accepts a string of 200 characters, or as many as its schema allows', () => {
    expect(read(CorridorQuery, `?from=${'x'.repeat(200)}&to=KES`).from).toHaveLength(200)
    expect(faultOf(CorridorQuery, `?from=${'x'.repeat(201)}&to=KES`)).toBe('invalid_parameter from')
    expect(read(ProviderQuery, `?provider=${'x'.repeat(100)}`).provider).toHaveLength(100)
    expect(faultOf(ProviderQuery, `?provider=${'x'.repeat(101)}`)).toBe(
      'invalid_parameter provider',
    )
  })
})

describe('readQuery of an amount', () => {
  test('accepts plain decimal notation above 0 and up to 1e15', () => {
    expect(amountOf('200')).toBe(200)
    expect(amountOf('0.01')).toBe(0.01)
    expect(amountOf('007.50')).toBe(7.5)
    expect(amountOf('+5')).toBe(5)
    expect(amountOf('1000000000000000')).toBe(1e15)
    expect(amountOf(`0.${'0'.repeat(39)}1`)).toBe(1e-40)
  })

  test('refuses zero, less, and more than 1e15', () => {
    for (const text of ['0', '0.0', '-0', '-1', '-0.01', '1000000000000001', '1000000000000000.5'])
      expect(amountFault(text)).toBe('invalid_parameter amount')
  })

  test('refuses every other notation, and a string that is not a number', () => {
    for (const text of [
      '1e3',
      '1E3',
      '1e309',
      '0x10',
      '0b1',
      'NaN',
      'Infinity',
      '-Infinity',
      '.5',
      '5.',
      '1,000',
      '1_000',
      '1 000',
      '%2B5',
      '--5',
      '5%00',
      '%D9%A1',
      'abc',
      '[]',
      '1'.repeat(41),
      `0.${'1'.repeat(41)}`,
    ])
      expect(amountFault(text)).toBe('invalid_parameter amount')
  })

  test('reads every decimal that it can write', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e15 }), fc.nat({ max: 8 }), (digits, places) => {
        const amount = digits / 10 ** places
        fc.pre(amount <= 1e15 && !String(amount).includes('e'))
        expect(amountOf(String(amount))).toBe(amount)
      }),
    )
  })
})

describe('readQuery of a list', () => {
  test('splits at commas, trims, and puts in upper case', () => {
    expect(codesOf('KES')).toEqual(['KES'])
    expect(codesOf('kes,%20ngn+,UGX')).toEqual(['KES', 'NGN', 'UGX'])
    expect(codesOf('KES%2CNGN')).toEqual(['KES', 'NGN'])
  })

  test('counts a code that appears twice once, at its first place', () => {
    expect(codesOf('NGN,KES,ngn,NGN')).toEqual(['NGN', 'KES'])
  })

  test('joins several parameters of one name into one list, in their order', () => {
    expect(codesOf('NGN&to=KES')).toEqual(['NGN', 'KES'])
    expect(codesOf('NGN,ugx&t%6F=%20kes&to=NGN,ZAR')).toEqual(['NGN', 'UGX', 'KES', 'ZAR'])
    expect(codesOf('KES&to=KES')).toEqual(['KES'])
    for (const text of ['KES&to=', '&to=KES', 'KES&to', 'KES&to=%FF', 'KES&to=,'])
      expect(codesFault(text)).toBe('invalid_parameter to')
    const codes = Array.from({ length: 21 }, (_, i) => `C${String.fromCharCode(65 + i)}X`)
    expect(codesOf(codes.slice(0, 20).join('&to='))).toHaveLength(20)
    expect(codesFault(codes.join('&to='))).toBe('invalid_parameter to')
    expect(faultOf(FetchMultiQuery, '?from=USD&from=GBP&to=KES')).toBe('repeated_parameter from')
  })

  test('names an empty item, at any place', () => {
    for (const text of ['USD,,EUR', ',USD', 'USD,', ',', 'USD,+,EUR'])
      expect(codesFault(text)).toBe('invalid_parameter to')
  })

  test('accepts 20 codes and refuses 21, not counting duplicates', () => {
    const codes = Array.from({ length: 21 }, (_, i) => `C${String.fromCharCode(65 + i)}X`)
    expect(codesOf(codes.slice(0, 20).join())).toHaveLength(20)
    expect(codesFault(codes.join())).toBe('invalid_parameter to')
    expect(codesOf([...codes.slice(0, 20), ...codes.slice(0, 20)].join())).toHaveLength(20)
  })
})

describe('readQuery of whole numbers and words', () => {
  test('uses the default for an absent parameter, or leaves it absent', () => {
    expect(read(PagedQuery, '')).toEqual({ period: '30d', limit: 500, offset: 0 })
  })

  test('accepts a whole number at its bounds and refuses it beyond them', () => {
    expect(read(PagedQuery, '?limit=1').limit).toBe(1)
    expect(read(PagedQuery, '?limit=5000').limit).toBe(5000)
    expect(read(PagedQuery, '?offset=0').offset).toBe(0)
    expect(read(PagedQuery, '?offset=999999999999999').offset).toBe(999_999_999_999_999)
    for (const query of ['?limit=0', '?limit=5001', '?limit=-1', '?limit=1.5', '?limit=1e3'])
      expect(faultOf(PagedQuery, query)).toBe('invalid_parameter limit')
    for (const query of ['?offset=-1', '?offset=1000000000000000', '?offset=0x1', '?offset=a'])
      expect(faultOf(PagedQuery, query)).toBe('invalid_parameter offset')
  })

  test('accepts a word of its list, in exact case', () => {
    expect(read(PagedQuery, '?period=7d').period).toBe('7d')
    for (const text of ['7D', '8d', '7d,30d', 'constructor'])
      expect(faultOf(PagedQuery, `?period=${text}`)).toBe('invalid_parameter period')
    expect(() => read(PagedQuery, '?period=8d')).toThrow('one of 1d, 7d, 30d')
  })

  test('limits an optional string by its own bound', () => {
    expect(read(PagedQuery, '?provider=abcde').provider).toBe('abcde')
    expect(faultOf(PagedQuery, '?provider=abcdef')).toBe('invalid_parameter provider')
  })
})

describe('readQuery of a parameter for a time', () => {
  test('refuses it by name on a path of current data, and names the path to use', () => {
    for (const [name, where] of [
      ['date', '/historical'],
      ['as_of', '/historical'],
      ['period', '/time-series'],
      ['start', '/time-series'],
      ['end', '/time-series'],
    ] as const)
      for (const query of [
        `${name}=2025-12-25`,
        `${name}=`,
        name,
        `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=1`,
      ]) {
        expect(faultOf(CorridorQuery, `?from=USD&to=KES&${query}`)).toBe(
          `invalid_parameter ${name}`,
        )
        expect(faultOf(CorridorQuery, `?${query}&from=USD&to=KES`)).toBe(
          `invalid_parameter ${name}`,
        )
        expect(() => read(NoQuery, `?${query}`)).toThrow(where)
      }
    expect(faultOf(FetchMultiQuery, '?from=USD&to=KES&to=NGN&date=1')).toBe(
      'invalid_parameter date',
    )
  })

  test('reads it if it is declared, and ignores it if another time is declared', () => {
    expect(faultOf(PagedQuery, '?period=7d')).toBe('none')
    expect(faultOf(PagedQuery, '?date=2025-12-25&start=1&end=1&as_of=1')).toBe('none')
  })

  test('recognises it by its exact name only', () => {
    for (const name of ['Date', 'dates', 'date_', 'since', 'toString', '__proto__', '%64%61te_'])
      expect(faultOf(CorridorQuery, `?from=USD&to=KES&${name}=1`)).toBe('none')
  })
})

test('readQuery returns a query or names a parameter, whatever the URL has', () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: character }).map(encodeURIComponent))
  fc.assert(
    fc.property(texts, texts, texts, (from, amount, rest) => {
      const query = `?from=${from}&to=KES&amount=${amount}&${rest}`
      expect(faultOf(ConvertQuery, query)).toMatch(/^(none|[a-z]+_parameter (from|to|amount))$/)
    }),
  )
})
