import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countryNames, namesOf } from '~/domain/naming/countries.ts'
import { CurrencyNames } from '~/domain/naming/currencies.ts'
import { type Meaning, Names } from '~/domain/naming/names.ts'
import { providerNames } from '~/domain/naming/providers.ts'
import { countryOfCity } from '~/domain/naming/regions.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import catalogue from '~generated/sample/catalogue.json'
import { character } from '../../support/characters.ts'

const currencyNames = new CurrencyNames(catalogue.currencies)
const providers = providerNames(catalogue.providers)

/** One id, several, or none. */
const idsOf = (meaning: Meaning): readonly string[] => {
  if (meaning.kind === 'none') return []
  return meaning.kind === 'one' ? [meaning.id] : meaning.ids
}

/** What a string probably misspells; null if it is known. */
const nearTo = (meaning: Meaning): readonly string[] | null =>
  meaning.kind === 'none' ? meaning.near : null

/** A name in other spellings: case, signs and spaces, but not accents. */
const written = (name: string) =>
  fc
    .tuple(
      fc.constantFrom<(text: string) => string>(
        (text) => text.toLowerCase(),
        (text) => text.toUpperCase(),
        (text) => text.normalize('NFD'),
        (text) => text,
      ),
      fc.constantFrom('', ' ', '  ', 'the '),
      fc.constantFrom('', ' ', '.', '!'),
    )
    .map(([change, before, after]) => `${before}${change(name)}${after}`)

describe('CurrencyNames', () => {
  test.each([
    ['NGN', ['NGN']],
    [' ngn ', ['NGN']],
    ['naira', ['NGN']],
    ['Nairas', ['NGN']],
    ['cedi', ['GHS']],
    ['Ghana cedis', ['GHS']],
    ['rand', ['ZAR']],
    ['US dollars', ['USD']],
    ['American dollars', ['USD']],
    ['pound sterling', ['GBP']],
    ['UK pounds', ['GBP']],
    ['euros', ['EUR']],
    ['KSh', ['KES']],
    ['MK', ['MWK']],
    ['Br', ['ETB']],
    ['Kenya shilling', ['KES']],
    ['tether', ['USDT']],
    ['usd coin', ['USDC']],
    ['dobra', ['STN']],
    ['Kenya', ['KES']],
    ['KE', ['KES']],
    ['UK', ['GBP']],
    ["Côte d'Ivoire", ['XOF']],
    ['Namibia', ['NAD']],
    ['CFA', ['XAF', 'XOF']],
    ['CFA franc', ['XAF', 'XOF']],
    ['West African CFA', ['XOF']],
    ['kwacha', ['MWK', 'ZMW']],
    ['shilling', ['KES', 'TZS', 'UGX', 'SOS']],
    ['Congo', ['CDF', 'XAF']],
    ['UEMOA', ['XOF']],
    ['Shilingi ya Kenya', ['KES']],
    ['شلن كينيي', ['KES']],
    ['Zimbabwe', ['USD', 'ZWG']],
    ['Zimbabwe dollar', []],
    ['bitcoin', []],
    ['', []],
    ['!', []],
  ])('%j means %j', (text, codes) => {
    expect([...idsOf(currencyNames.meaning(text))].sort()).toEqual([...codes].sort())
  })

  test.each([
    ['dollars', 'USD'],
    ['pound', 'GBP'],
    ['francs', 'XAF'],
    ['rupees', 'INR'],
  ])('puts the most common meaning of %j first', (text, code) => {
    expect(idsOf(currencyNames.meaning(text))[0]).toBe(code)
  })

  test.each([
    ['nairra', ['NGN']],
    ['shilings', ['KES', 'TZS', 'UGX', 'SOS']],
    ['Kenyan shilings', ['KES']],
    ['Kenia', ['KES']],
    ['Senegall', ['XOF']],
    ['greenback', []],
    ['Guyena', []],
    ['Ginea', ['GNF']],
    ['Lagoss', ['NGN']],
    ['Lao', []],
    ['Malia', ['XOF', 'EUR']],
    ['Surinam dollar', []],
  ])('knows what %j probably misspells', (text, near) => {
    expect(nearTo(currencyNames.meaning(text))).toEqual(near)
  })

  test('reports which word was misspelt', () => {
    expect(nearTo(currencyNames.meaning('Nigerian Niara'))).toEqual(['NGN'])
  })

  test('finds every currency by its code and by its name, however these are written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...catalogue.currencies).chain(({ code, name }) =>
          fc.record({
            code: fc.constant(code),
            text: fc.constantFrom(code, name).chain(written),
          }),
        ),
        ({ code, text }) => {
          expect(currencyNames.meaning(text)).toEqual({ kind: 'one', id: code })
        },
      ),
    )
  })
})

describe('countryNames', () => {
  test.each([
    ['KE', ['KE']],
    ['ken', ['KE']],
    ['kenya', ['KE']],
    ['UK', ['GB']],
    ['Great Britain', ['GB']],
    ['England', ['GB']],
    ['the Gambia', ['GM']],
    ['Ivory Coast', ['CI']],
    ["cote d'ivoire", ['CI']],
    ['DRC', ['CD']],
    ['Cape Verde', ['CV']],
    ['Swaziland', ['SZ']],
    ['USA', ['US']],
    ['Emirates', ['AE']],
    ['Guinea', ['GN']],
    ['Guinea-Bissau', ['GW']],
    ['Congo', ['CD', 'CG']],
    ['Sudan', ['SD']],
    ['كينيا', ['KE']],
    ['Afrique du Sud', ['ZA']],
    ['África do Sul', ['ZA']],
    ['Afrika Kusini', ['ZA']],
    ['the Gulf', ['AE', 'BH', 'KW', 'OM', 'QA', 'SA']],
    ['PALOP', ['AO', 'CV', 'GW', 'MZ', 'ST']],
    ['UEMOA', ['BJ', 'BF', 'CI', 'GW', 'ML', 'NE', 'SN', 'TG'].sort()],
    ['Atlantis', []],
  ])('%j means %j', (text, codes) => {
    expect(idsOf(countryNames.meaning(text))).toEqual(codes)
  })

  test('reports which country was misspelt', () => {
    expect(nearTo(countryNames.meaning('Senegall'))).toEqual(['SN'])
    expect(nearTo(countryNames.meaning('Nigera'))).toEqual(['NE', 'NG'])
  })

  test.each([
    ['Guyena', ['GY']],
    ['Ginea', ['GN']],
    ['Guynea', ['GN']],
    ['Malia', ['ML', 'MT']],
    ['Maltaa', ['MT']],
    ['Gabbon', ['GA']],
    ['Domenica', ['DM']],
    ['Mauritana', ['MR']],
    ['Mauritious', ['MU']],
    ['Tongo', ['CD', 'CG', 'TG', 'TO']],
    ['Jordon', ['JO']],
    ['Omam', ['OM']],
    ['Chadd', ['TD']],
    ['Chille', ['CL']],
    ['Lagoss', ['NG']],
    ['Lagos', ['NG']],
    ['Oran', ['DZ']],
    ['Juba', ['SS']],
  ])('suggests for %j %j, whatever names are near on another continent', (text, near) => {
    expect(nearTo(countryNames.meaning(text))).toEqual(near)
  })

  test('suggests the country whose name lacks, doubles or swaps letters, if no other matches', () => {
    for (const code of COUNTRIES.keys()) {
      const name = namesOf(code)[0]!
      if (!/^\p{L}{5,}$/u.test(name)) continue
      for (let at = 0; at < name.length - 1; at++) {
        const [before, a, b, after] = [
          name.slice(0, at),
          name[at]!,
          name[at + 1]!,
          name.slice(at + 2),
        ]
        for (const text of [
          before + b + after,
          before + a + a + b + after,
          before + b + a + after,
        ]) {
          const near = nearTo(countryNames.meaning(text))
          if (near !== null && countryOfCity(text) === null)
            expect([text, near]).toEqual([text, expect.arrayContaining([code])])
        }
      }
    }
  })

  test('has the countries of the EU and of Francophone Africa', () => {
    expect(idsOf(countryNames.meaning('EU'))).toHaveLength(27)
    expect(idsOf(countryNames.meaning('Afrique francophone'))).toHaveLength(20)
  })

  test('does not read a code of three letters as a misspelt name: Guff is not GUF', () => {
    for (const text of ['Guff', 'Gufo', 'Gulff']) {
      expect(nearTo(countryNames.meaning(text))).toEqual(expect.not.arrayContaining(['GF']))
    }
  })

  test.each([
    ['Lagos', 'NG'],
    ['dar es-salaam', 'TZ'],
    ['Yaounde', 'CM'],
    ['nouakchott', 'MR'],
    ['Djibouti', null],
    ['Kingston', null],
    ['Kenya', null],
    ['', null],
  ])('maps the city %j to its country', (text, code) => {
    expect(countryOfCity(text)).toBe(code)
  })

  test('does not read a country or a currency as a city', () => {
    const names = [...COUNTRIES.keys()].flatMap((code) => [code, ...namesOf(code)])
    const money = catalogue.currencies.flatMap(({ code, name }) => [code, name])
    expect([...names, ...money].filter((name) => countryOfCity(name) !== null)).toEqual([])
  })

  test('finds every country by each of its names, alone or among others of that name', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...COUNTRIES.keys())
          .chain((code) => fc.tuple(fc.constant(code), fc.constantFrom(...namesOf(code)))),
        ([code, name]) => {
          expect(idsOf(countryNames.meaning(name))).toContain(code)
        },
      ),
    )
  })
})

describe('providerNames', () => {
  test.each([
    ['Western Union', ['western-union']],
    ['western-union', ['western-union']],
    ['WESTERN UNION', ['western-union']],
    ['mpesa', ['m-pesa']],
    ['World Remit', ['worldremit']],
    ['Money Gram', ['moneygram']],
    ['MTN', ['mtn-mobile-money']],
    ['CBN', ['central-bank-of-nigeria']],
    ['wu', ['western-union']],
    ['TransferWise', ['wise']],
    ['Boursorama bank', []],
    ['Nobody', []],
  ])('%j means %j', (text, ids) => {
    expect(idsOf(providers.meaning(text))).toEqual(ids)
  })

  test('returns every provider whose name has the words, if none has exactly that name', () => {
    const found = idsOf(providers.meaning('Central Bank'))
    expect(found).toEqual([
      ...['bceao', 'central-bank-of-egypt', 'central-bank-of-kenya', 'central-bank-of-liberia'],
      ...['central-bank-of-nigeria', 'central-bank-of-the-gambia', 'central-bank-of-tunisia'],
    ])
  })

  test('reports which provider was misspelt', () => {
    expect(nearTo(providers.meaning('Westen Union'))).toEqual(['western-union'])
  })

  test('finds every provider by id and name', () => {
    for (const { id, name } of catalogue.providers) {
      expect(providers.meaning(id)).toEqual({ kind: 'one', id })
      expect(providers.meaning(name)).toEqual({ kind: 'one', id })
    }
  })
})

test('punctuation alone means nothing, not even an entry without a readable name', () => {
  const names = new Names([{ id: 'long', names: ['x'.repeat(65), '!?'] }])
  expect(names.meaning('!').kind).toBe('none')
  expect(names.meaning('long')).toEqual({ kind: 'one', id: 'long' })
})

test('any string means nothing, one entry, or several entries of the catalogue', () => {
  const codes = catalogue.currencies.map(({ code }) => code)
  const text = fc.oneof(
    fc.string({ unit: character, maxLength: 100 }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'x'.repeat(100_000)),
    fc
      .array(fc.constantFrom('bank', 'dollar', 'the', 'new', 'republic', 'of'))
      .map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(text, (said) => {
      for (const [names, ids] of [
        [currencyNames, codes],
        [countryNames, [...COUNTRIES.keys()]],
        [providers, catalogue.providers.map(({ id }) => id)],
      ] as const) {
        const meaning = names.meaning(said)
        const found = idsOf(meaning)
        expect(found.filter((id) => !ids.includes(id))).toEqual([])
        expect(new Set(found).size).toBe(found.length)
        if (meaning.kind === 'several') expect(found.length).toBeGreaterThan(1)
      }
    }),
  )
})

describe('exact', () => {
  const names = new Names([
    { id: 'us', names: ['America'] },
    { id: 'x', names: ['US', 'Elsewhere'] },
  ])

  test('finds by id before names, in any case and with spaces around it', () => {
    for (const text of ['us', ' US ']) expect(names.exact(text)).toEqual({ kind: 'one', id: 'us' })
    expect(names.exact(' america ')).toEqual({ kind: 'one', id: 'us' })
  })

  test('suggests nothing for a misspelt name', () => {
    expect(names.exact('Amreica')).toMatchObject({ kind: 'none', near: [] })
  })
})
