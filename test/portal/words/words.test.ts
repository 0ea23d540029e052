import { describe, expect, test } from 'bun:test'
import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { FURTHER_LANGUAGES, LANGUAGES, type Language } from '~/portal/words/language.ts'
import { CATALOGUES, type MessageKey, Words } from '~/portal/words/words.ts'

const keysOf = (language: Language) => Object.keys(CATALOGUES[language]) as MessageKey[]

type Element = ReturnType<typeof parse>[number]

/** The arguments and tags of a message, each with its use. */
function argumentsOf(elements: readonly Element[]): Set<string> {
  const found = new Set<string>()
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue
    found.add(`${TYPE[element.type]} ${element.value}`)
    const inner =
      element.type === TYPE.tag
        ? [element.children]
        : 'options' in element
          ? Object.values(element.options).map(({ value }) => value)
          : []
    for (const part of inner) for (const one of argumentsOf(part)) found.add(one)
  }
  return found
}

/** The plural forms of a message for each number. */
function pluralsOf(elements: readonly Element[]): string[][] {
  return elements.flatMap((element) => {
    const own = element.type === TYPE.plural ? [Object.keys(element.options)] : []
    const inner =
      element.type === TYPE.tag
        ? [element.children]
        : 'options' in element
          ? Object.values(element.options).map(({ value }) => value)
          : []
    return [...own, ...inner.flatMap(pluralsOf)]
  })
}

describe('the catalogues', () => {
  test.each(FURTHER_LANGUAGES)('%s has every message of English, and no other', (language) => {
    expect(keysOf(language)).toEqual(keysOf('en'))
  })

  test.each(FURTHER_LANGUAGES)('%s has the same arguments and tags in each', (language) => {
    const differing = keysOf('en').filter((key) => {
      const [own, english] = [language, 'en' as const].map((one) =>
        [...argumentsOf(parse(CATALOGUES[one][key]))].sort(),
      )
      return !Bun.deepEquals(own, english)
    })
    expect(differing).toEqual([])
  })

  test.each(LANGUAGES)('%s has every plural form that its numbers need', (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const needed = pluralCategories.filter((one) => one !== 'many' || language === 'ar')
    const lacking = keysOf(language).filter((key) =>
      pluralsOf(parse(CATALOGUES[language][key])).some(
        (forms) => !needed.every((form) => forms.includes(form)),
      ),
    )
    expect(lacking).toEqual([])
  })

  test.each(FURTHER_LANGUAGES)('%s leaves no message in English', (language) => {
    const isSentence = (text: string) => text.split(' ').length > 3
    const same = keysOf('en').filter(
      (key) => isSentence(CATALOGUES.en[key]) && CATALOGUES[language][key] === CATALOGUES.en[key],
    )
    expect(same).toEqual([])
  })

  test('fr has a narrow no-break space before ; : ! ? % and within « »', () => {
    const isUnspaced = (text: string) =>
      /(?<!\u202f)[;:!?%»]|«(?!\u202f)/.test(text.replace(/https?:|Accept-Signature:/g, ''))
    expect(keysOf('fr').filter((key) => isUnspaced(CATALOGUES.fr[key]))).toEqual([])
    for (const wrong of ['Nom : x', 'Nom: x', 'Quoi\u00a0?', '« a\u202f»', '3 %'])
      expect([wrong, isUnspaced(wrong)]).toEqual([wrong, true])
  })
})

describe('Words', () => {
  test('a name in Latin letters keeps its direction within Arabic, and an Arabic one elsewhere', () => {
    const said = (language: Language, least: string) =>
      Words.in(language).say('span.range', { least, most: '2' })
    expect(said('ar', 'Wise')).toContain('\u2068Wise\u2069')
    expect(said('ar', 'بنك')).not.toContain('\u2068بنك')
    expect(said('fr', 'بنك')).toContain('\u2068بنك\u2069')
    expect(said('fr', 'Wise')).toBe('Wise à 2')
  })

  test('a missing value of a message throws', () => {
    expect(() => Words.in('en').say('span.range', { least: '1' })).toThrow('most')
  })

  test('a value is never read as a message or a tag', () => {
    for (const language of LANGUAGES)
      for (const hostile of ['<b>bold</b>', '{most}', "'{'", '=1+1'])
        expect(Words.in(language).say('span.range', { least: hostile, most: '2' })).toContain(
          hostile,
        )
  })
})

describe('numbers, money, dates and names', () => {
  test.each([
    ['en', '1,234,567.50 KES', '£1,250.50', '−1.20%', '21 Nov 2026, 06:05 UTC', '16 days ago'],
    [
      'fr',
      '1 234 567,50 KES',
      '1 250,50 £GB',
      '−1,20 %',
      '21 nov. 2026, 06:05 UTC',
      'il y a 16 jours',
    ],
    [
      'pt',
      '1 234 567,50 KES',
      '1250,50 £',
      '−1,20%',
      '21 de nov. de 2026, 06:05 UTC',
      'há 16 dias',
    ],
    [
      'ar',
      '1,234,567.50 KES',
      '1,250.50 UK£',
      '−1.20%',
      '21 نوفمبر 2026، 06:05 UTC',
      'قبل 16 يومًا',
    ],
    [
      'sw',
      '1,234,567.50 KES',
      '£ 1,250.50',
      '−1.20%',
      '21 Nov 2026, 06:05 UTC',
      'siku 16 zilizopita',
    ],
  ] as const)('are those of %s', (language, kes, gbp, percent, moment, ago) => {
    const words = Words.in(language)
    const plain = (text: string) =>
      text.replace(/[\u00a0\u202f]/g, ' ').replace(/[\u200e\u200f]/g, '')
    expect(plain(words.priceText(1_234_567.5, { code: 'KES', minorUnits: 2 }))).toBe(kes)
    expect(plain(words.priceText(1250.5, { code: 'GBP', minorUnits: 2 }))).toBe(gbp)
    expect(plain(words.bpsText(-120))).toBe(percent)
    expect(plain(words.momentText(Date.UTC(2026, 10, 21, 6, 5)))).toBe(moment)
    expect(plain(words.agoText(16 * 86_400_000))).toBe(ago)
  })

  test.each([
    ['en', 'Ivory Coast', 'Euro'],
    ['fr', 'Côte d’Ivoire', 'euro'],
    ['pt', 'Côte d’Ivoire (Costa do Marfim)', 'euro'],
    ['ar', 'ساحل العاج', 'يورو'],
    ['sw', 'Cote d’Ivoire', 'Yuro'],
  ] as const)('%s has names of countries and currencies', (language, country, currency) => {
    const words = Words.in(language)
    expect(words.countryName({ code: 'CI', name: 'Ivory Coast', currencies: [] })).toBe(country)
    expect(words.currencyName({ code: 'EUR', name: 'Euro' })).toBe(currency)
    expect(words.currencyName({ code: 'USDT', name: 'Tether' })).toBe('Tether')
  })
})
