import { describe, expect, test } from 'bun:test'
import { CATALOGUE_FAULTS_MAX, readCatalogueFile } from '~/file/catalogue.ts'

const read = (file: unknown) => readCatalogueFile(JSON.stringify(file))
const NGN = { code: 'NGN', name: 'Nigerian Naira' }
const WISE = { id: 'wise', name: 'Wise' }

const PEG_RULE =
  'currencies[0].peg must be an object with to, a currency code, and rate, how much of this currency one of that is worth: 1e-9 to 1000000000, or null'

describe('readCatalogueFile', () => {
  test('fills in what a file leaves out and writes codes in upper case', () => {
    expect(read({ currencies: [{ code: 'ngn', name: ' Naira ' }], providers: [WISE] })).toEqual({
      currencies: [
        {
          code: 'NGN',
          name: 'Naira',
          type: 'both',
          kind: 'fiat',
          flagUrl: null,
          minorUnits: null,
          isActive: true,
          sortOrder: 0,
          peg: null,
        },
      ],
      providers: [
        {
          id: 'wise',
          name: 'Wise',
          logoUrl: null,
          websiteUrl: null,
          providerType: null,
          rateType: 'retail',
          region: null,
          timeZone: null,
          transferTime: null,
          paymentMethods: null,
          isActive: true,
        },
      ],
      faults: [],
      furtherFaults: 0,
    })
  })

  test('keeps everything a file says', () => {
    const { currencies, providers, faults } = read({
      currencies: [
        {
          code: 'USDT',
          name: 'Tether',
          type: 'source',
          kind: 'stablecoin',
          flag_url: 'https://example.org/usdt.svg',
          minor_units: 6,
          is_active: false,
          sort_order: -3,
        },
      ],
      providers: [
        {
          id: 'Bank_of.X-1',
          name: 'Bank of X',
          provider_type: 'central_bank',
          rate_type: 'official',
          region: 'West Africa',
          transfer_time: 'minutes',
          payment_methods: ['cash'],
          logo_url: 'http://example.org/x.png',
          website_url: null,
          is_active: false,
        },
      ],
    })
    expect(faults).toEqual([])
    expect(currencies[0]).toMatchObject({ kind: 'stablecoin', minorUnits: 6, sortOrder: -3 })
    expect(providers[0]).toMatchObject({ rateType: 'official', paymentMethods: ['cash'] })
    expect(providers[0]!.isActive).toBe(false)
  })

  test('reads a peg with its code in upper case, and null as no peg', () => {
    const peg = { to: 'eur', rate: 655.957 }
    const { currencies } = read({
      currencies: [
        { ...NGN, peg },
        { ...NGN, code: 'KES', peg: null },
      ],
    })
    expect(currencies.map((one) => one.peg)).toEqual([{ to: 'EUR', rate: 655.957 }, null])
  })

  test('a file may name only currencies, only providers, or nothing', () => {
    expect(read({ currencies: [NGN] }).currencies).toHaveLength(1)
    expect(read({ providers: [WISE] }).providers).toHaveLength(1)
    expect(read({}).faults).toEqual([])
    expect(readCatalogueFile('\uFEFF{}').faults).toEqual([])
  })

  const wrong: [string, unknown, string][] = [
    ['no object', [], 'the file must be an object with the lists currencies and providers'],
    ['a list of a wrong name', { currency: [] }, 'currency is not a known field'],
    ['no list', { currencies: {} }, 'currencies must be a list of at most 100000 entries'],
    ['an entry that is null', { providers: [null] }, 'providers[0] must be an object, not null'],
    [
      'a misspelt member',
      { currencies: [{ ...NGN, sortorder: 1 }] },
      'currencies[0].sortorder is not a known field',
    ],
    [
      'a missing name',
      { currencies: [{ code: 'NGN' }] },
      'currencies[0].name is missing: it must be a text of 1 to 200 characters on one line, none of which is hidden or turns its direction',
    ],
    [
      'a code with digits',
      { currencies: [{ ...NGN, code: 'NG1' }] },
      'currencies[0].code must be 3 or 4 letters, not "NG1"',
    ],
    [
      'an unknown kind',
      { currencies: [{ ...NGN, kind: 'coin' }] },
      'currencies[0].kind must be one of fiat, stablecoin, not "coin"',
    ],
    [
      'nine minor units',
      { currencies: [{ ...NGN, minor_units: 9 }] },
      'currencies[0].minor_units must be a whole number from 0 to 8, or null, not 9',
    ],
    ['a peg at no rate', { currencies: [{ ...NGN, peg: { to: 'EUR', rate: 0 } }] }, PEG_RULE],
    ['a peg to nothing', { currencies: [{ ...NGN, peg: { rate: 1 } }] }, PEG_RULE],
    [
      'a sort order that is no integer',
      { currencies: [{ ...NGN, sort_order: 1.5 }] },
      'currencies[0].sort_order must be a whole number from -1000000000 to 1000000000, not 1.5',
    ],
    [
      'a script in place of an address',
      { providers: [{ ...WISE, website_url: 'javascript:alert(1)' }] },
      'providers[0].website_url must be an http:// or https:// address, or null, not "javascript:alert(1)"',
    ],
    [
      'a time zone that does not exist',
      { providers: [{ ...WISE, time_zone: 'Africa/Atlantis' }] },
      'providers[0].time_zone must be an IANA time zone such as Africa/Nairobi, or null, not "Africa/Atlantis"',
    ],
    [
      'a name with NUL',
      { providers: [{ ...WISE, name: 'a\0b' }] },
      'providers[0].name must be a text of 1 to 200 characters on one line, none of which is hidden or turns its direction, not "a\\u0000b"',
    ],
    ...['\u202E', '\u2066', '\u200F', '\u061C', '\u200B', '\u2028'].map(
      (mark): [string, object, string] => [
        `a name with U+${mark.charCodeAt(0).toString(16)}`,
        { providers: [{ ...WISE, name: `Bank ${mark}knaB` }] },
        'providers[0].name must be a text of 1 to 200 characters on one line, none of which is ' +
          `hidden or turns its direction, not ${JSON.stringify(`Bank ${mark}knaB`)}`,
      ],
    ),
    [
      'an id with a space',
      { providers: [{ ...WISE, id: 'a b' }] },
      'providers[0].id must be 1 to 100 of the characters A-Z, a-z, 0-9, dot, underscore and hyphen, not "a b"',
    ],
    [
      'a payment method that is no text',
      { providers: [{ ...WISE, payment_methods: [1] }] },
      'providers[0].payment_methods must be a list of at most 50 texts, or null',
    ],
    [
      'a code twice',
      { currencies: [NGN, { ...NGN, code: 'ngn' }] },
      'currencies[1].code NGN is the same as currencies[0].code',
    ],
    [
      'an id twice',
      { providers: [WISE, WISE] },
      'providers[1].id wise is the same as providers[0].id',
    ],
  ]
  for (const [what, file, fault] of wrong)
    test(`reports ${what}`, () => {
      const { currencies, providers, faults } = read(file)
      expect(faults).toEqual([fault])
      expect([...currencies, ...providers]).toEqual([])
    })

  test('lists every error up to a bound and counts the others', () => {
    const currencies = Array.from({ length: CATALOGUE_FAULTS_MAX + 5 }, () => ({ ...NGN, code: 1 }))
    const { faults, furtherFaults } = read({ currencies })
    expect(faults).toHaveLength(CATALOGUE_FAULTS_MAX)
    expect(furtherFaults).toBe(5)
  })

  test('a string that is not JSON is an error', () => {
    expect(readCatalogueFile('{"currencies": [').faults[0]).toStartWith(
      'the file is not valid JSON',
    )
    expect(readCatalogueFile('').faults).toHaveLength(1)
  })

  test('fields of a prototype are unknown like any other', () => {
    const text = '{"__proto__": {}, "currencies": [{"code": "NGN", "name": "N", "constructor": 1}]}'
    expect(readCatalogueFile(text).faults).toEqual([
      '__proto__ is not a known field',
      'currencies[0].constructor is not a known field',
    ])
  })
})
