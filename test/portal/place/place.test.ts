import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { countryNamed, flagText, slugOf } from '~/portal/place/names.ts'
import { pairNamed, pairSlug } from '~/portal/place/pair.ts'
import { homePlace, placesFor, placeText, writtenPlace } from '~/portal/place/place.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { currency } from '../../support/catalogue.ts'

const NAMES = {
  ...{ GBP: 'British Pound', KES: 'Kenyan Shilling', NGN: 'Nigerian Naira', XOF: 'CFA Franc' },
  ...{ UGX: 'Ugandan Shilling', GHS: 'Ghanaian Cedi', NAD: 'Namibian Dollar', EUR: 'Euro' },
  ...{ USD: 'US Dollar', ZWG: 'Zimbabwean Gold', CDF: 'Congolese Franc' },
}
const catalogue = new CatalogueIndex({
  currencies: Object.entries(NAMES).map(([code, name]) => currency(code, { name })),
  providers: [],
})

/** `GH GHS` for a country, `- GHS` for a currency alone, otherwise the error. */
function read(text: string): string {
  const { place, fault } = writtenPlace(ENGLISH, text, catalogue)
  return place ? `${place.country?.code ?? '-'} ${place.currency}` : fault
}

describe('writtenPlace', () => {
  test.each([
    ['Nigeria', 'NG NGN'],
    ['  nigeria ', 'NG NGN'],
    ['Nige', '“Nige” could be Niger or Nigeria.'],
    ['Niger', 'NE XOF'],
    ['Nigeri', 'NG NGN'],
    ['Ghana', 'GH GHS'],
    ['gh', 'GH GHS'],
    ['🇬🇭', 'GH GHS'],
    ['GHS', '- GHS'],
    ['ghs', '- GHS'],
    ['cedi', '- GHS'],
    ['Ghanaian Cedi', '- GHS'],
    ['shilling', '“shilling” could be KES (Kenyan Shilling) or UGX (Ugandan Shilling).'],
    ['UK', 'GB GBP'],
    ['the United Kingdom', 'GB GBP'],
    ["Côte d'Ivoire", 'CI XOF'],
    ['cote d’ivoire', 'CI XOF'],
    ['DRC', 'CD CDF'],
    ['Congo DRC', 'CD CDF'],
    ['Swaziland', 'We have no prices in the money of Eswatini yet. Choose another country.'],
    ['Royaume-Uni', 'GB GBP'],
    ['Nigéria', 'NG NGN'],
    ['Quênia', 'KE KES'],
    ['Costa do Marfim', 'CI XOF'],
    ['£', '- GBP'],
    ['€', '- EUR'],
    ['$', '- USD'],
    ['₦', '- NGN'],
    ['GH₵', '- GHS'],
    ['KSh', '- KES'],
    ['CFA', '- XOF'],
    ['nairas', '- NGN'],
    ['cedis', '- GHS'],
    ['shilling kényan', '- KES'],
    ['Ghanna', '“Ghanna” is not a country or currency that we know. Did you mean Ghana?'],
    ['Lagos', 'NG NGN'],
    ['Lagoss', '“Lagoss” is not a country or currency that we know. Did you mean Nigeria?'],
    [
      'nairra',
      '“nairra” is not a country or currency that we know. Did you mean NGN (Nigerian Naira)?',
    ],
    ['Congo', '“Congo” could be Democratic Republic of the Congo or Republic of the Congo.'],
    ['USA', 'US USD'],
    ['Zimbabwe', 'ZW USD'],
    ['Zimbabwe · ZWG', 'ZW ZWG'],
    ['Ghana · GHS', 'GH GHS'],
    ['GHS · Ghanaian Cedi', '- GHS'],
    ['', 'Choose a country or a currency.'],
    ['XXX', '“XXX” is not a country or currency that we know. Choose one from the list.'],
    ['🇽🇽', '“🇽🇽” is not a country or currency that we know. Choose one from the list.'],
    ['<b>', '“<b>” is not a country or currency that we know. Choose one from the list.'],
    ['Japan', 'We have no prices in the money of Japan yet. Choose another country.'],
    ['s', '“s” is not a country or currency that we know. Choose one from the list.'],
    [
      'sai',
      '“sai” could be Saint Barthelemy, Saint Helena, Saint Kitts and Nevis, Saint Lucia or another.',
    ],
  ])('reads %p as %p', (text, expected) => expect(read(text)).toBe(expected))

  test("reads the field's value of every place that can be chosen", () => {
    const places = placesFor(ENGLISH, Object.keys(NAMES), catalogue)
    expect(places.length).toBeGreaterThan(70)
    for (const place of places)
      expect(writtenPlace(ENGLISH, placeText(ENGLISH, place, catalogue), catalogue).place).toEqual(
        place,
      )
  })

  test('never fails, whatever is entered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        const { place, fault } = writtenPlace(ENGLISH, text, catalogue)
        expect(place === null).toBe(fault !== null)
      }),
    )
  })
})

describe('placesFor', () => {
  test('has each country once for each of its currencies, then currencies of several', () => {
    const texts = placesFor(ENGLISH, ['EUR', 'GHS', 'USD', 'ZWG'], catalogue).map((place) =>
      placeText(ENGLISH, place, catalogue),
    )
    expect(texts.filter((text) => /^(Ghana|Zimbabwe|France)/.test(text))).toEqual([
      ...['France · EUR', 'Ghana · GHS', 'Zimbabwe · USD', 'Zimbabwe · ZWG'],
    ])
    expect(texts.at(-1)).toBe('EUR · Euro')
    expect(texts.filter((text) => text.startsWith('GHS') || text.startsWith('USD'))).toEqual([])
    expect(placesFor(ENGLISH, [], catalogue)).toEqual([])
  })
})

describe('homePlace', () => {
  test('is the country whose own money it is, and none for money of several', () => {
    expect(homePlace('GHS').country?.name).toBe('Ghana')
    expect(homePlace('EUR').country).toBeNull()
    expect(homePlace('USDT').country).toBeNull()
  })
})

describe('a name in a URL', () => {
  test('belongs to one country alone, and is read back', () => {
    const slugs = [...COUNTRIES.values()].map(slugOf)
    expect(new Set(slugs).size).toBe(COUNTRIES.size)
    for (const slug of slugs) expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
    for (const country of COUNTRIES.values()) {
      expect(countryNamed(slugOf(country))).toBe(country)
      expect(countryNamed(flagText(country))).toBe(country)
    }
  })

  test('of a pair is read back, for every pair', () => {
    const all = [...COUNTRIES.values()]
    const some = all.filter((_, i) => i % 7 === 0)
    for (const source of some)
      for (const target of all)
        if (source !== target)
          expect(pairNamed(pairSlug({ source, target }))).toEqual({ source, target })
  })

  test.each(['ghana', 'ghana-to-ghana', 'ghana-to-', '-to-ghana', 'a-to-b', '', 'x'.repeat(9999)])(
    'of a pair is not %p',
    (slug) => expect(pairNamed(slug)).toBeNull(),
  )
})

describe('inSentence', () => {
  test('has an article if English has one', () => {
    const named = (name: string) => ENGLISH.inSentence(countryNamed(name)!)
    expect(
      ['UK', 'Ghana', 'Gambia', 'DRC', 'USA', 'Dominica', 'Cayman Islands'].map(named),
    ).toEqual(
      ['the United Kingdom', 'Ghana', 'the Gambia', 'the Democratic Republic of the Congo'].concat([
        'the United States',
        'Dominica',
        'the Cayman Islands',
      ]),
    )
  })
})
