import { describe, expect, test } from 'bun:test'
import { Names } from '~/domain/naming/names.ts'
import { isGroup } from '~/domain/naming/regions.ts'
import { hasWords, joined, NAME_LENGTH_MAX, wordsOf } from '~/domain/naming/words.ts'

describe('wordsOf', () => {
  test('drops case, accents, signs, articles and the s of a plural', () => {
    expect(wordsOf('The Swiss francs')).toEqual(['swis', 'franc'])
    expect(wordsOf(' swiss Franc! ')).toEqual(['swis', 'franc'])
    expect(wordsOf("Côte d'Ivoire")).toEqual(['cote', 'd', 'ivoire'])
    expect(wordsOf('US gas this')).toEqual(['us', 'gas', 'thi'])
  })

  test('returns no words for a string without letters or digits', () => {
    for (const text of ['', ' ', '!', 'the']) expect(wordsOf(text)).toEqual([])
  })
})

test('joined returns an empty string for a string longer than a name', () => {
  const longest = 'x'.repeat(NAME_LENGTH_MAX)
  expect([joined('M-Pesa'), joined(longest), joined(`${longest}x`)]).toEqual(['mpesa', longest, ''])
})

test('hasWords requires each word to begin a word of the strings', () => {
  const texts = ['Kenyan shilling', 'KES']
  for (const query of ['', 'shil', 'kes KENYA', 'Shillings'])
    expect(hasWords(texts, query)).toBe(true)
  for (const query of ['hilling', 'kenyan pound', 'es']) expect(hasWords(texts, query)).toBe(false)
})

test('isGroup recognises the name of several countries', () => {
  expect(['the Gulf', 'eurozone', 'Kenya', ''].map(isGroup)).toEqual([true, true, false, false])
})

describe('Names', () => {
  const names = new Names([
    { id: 'alpha', names: ['Alphan Bank of Kenya'] },
    { id: 'alpho', names: ['Alphon Bank of Kenya'], misspelt: ['Mombasa', 'Goma', 'Ely'] },
    { id: 'beta', names: ['Betabank', 'BB'] },
    { id: 'bb', names: ['Gammabank'] },
    { id: 'x', names: ['y'.repeat(NAME_LENGTH_MAX)] },
  ])

  test('corrects each misspelt word, and counts the wrong letters of the worst', () => {
    const near = { kind: 'none', near: ['alpha', 'alpho'], wrong: 1 } as const
    expect(names.meaning('Kenya Alphxn')).toEqual(near)
    expect(names.meaning('Kenya Alphon')).toEqual({ kind: 'one', id: 'alpho' })
  })

  test('recognises misspelt words other than names, if they have four letters or more', () => {
    expect(names.meaning('Mombasa')).toEqual({ kind: 'none', near: ['alpho'], wrong: 0 })
    expect(names.meaning('Goma')).toEqual({ kind: 'none', near: ['alpho'], wrong: 0 })
    expect(names.meaning('Gomo')).toMatchObject({ kind: 'none', near: ['alpho'], wrong: 1 })
    expect(names.meaning('Ely')).toMatchObject({ kind: 'none', near: [] })
  })

  test('prefers an id to an equal name', () => {
    expect(names.meaning('BB')).toEqual({ kind: 'one', id: 'bb' })
  })

  test('finds a name of the greatest length, and none that is longer', () => {
    const longest = 'y'.repeat(NAME_LENGTH_MAX)
    expect(names.exact(longest)).toEqual({ kind: 'one', id: 'x' })
    expect(names.exact(`${longest}y`)).toMatchObject({ kind: 'none', near: [] })
    const said = `${'alphon bank '.repeat(4)}of kenya alphons`
    expect(said).toHaveLength(NAME_LENGTH_MAX)
    expect(names.meaning(said)).toEqual({ kind: 'one', id: 'alpho' })
    expect(names.meaning(`the ${said}`)).toMatchObject({ kind: 'none', near: [] })
  })
})
