import { describe, expect, test } from 'bun:test'
import { Names } from '~/domain/naming/names.ts'
import { isGroup } from '~/domain/naming/regions.ts'
import { hasWords, joined, NAME_LENGTH_MAX, wordsOf } from '~/domain/naming/words.ts'

describe('wordsOf', () => {
  test('has no case, accent, sign, article or s of a plural', () => {
    expect(wordsOf('The Swiss francs')).toEqual(['swis', 'franc'])
    expect(wordsOf(' swiss Franc! ')).toEqual(['swis', 'franc'])
    expect(wordsOf("Côte d'Ivoire")).toEqual(['cote', 'd', 'ivoire'])
    expect(wordsOf('US gas this')).toEqual(['us', 'gas', 'thi'])
  })

  test('has none for a text without letters or digits', () => {
    for (const text of ['', ' ', '!', 'the']) expect(wordsOf(text)).toEqual([])
  })
})

test('joined is empty for a text that is longer than a name', () => {
  const longest = 'x'.repeat(NAME_LENGTH_MAX)
  expect([joined('M-Pesa'), joined(longest), joined(`${longest}x`)]).toEqual(['mpesa', longest, ''])
})

test('hasWords asks each word to begin one of the texts', () => {
  const texts = ['Kenyan shilling', 'KES']
  for (const query of ['', 'shil', 'kes KENYA', 'Shillings'])
    expect(hasWords(texts, query)).toBe(true)
  for (const query of ['hilling', 'kenyan pound', 'es']) expect(hasWords(texts, query)).toBe(false)
})

test('isGroup knows a name of several countries', () => {
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

  test('puts each misspelt word right, and counts the wrong letters of the worst', () => {
    const near = { kind: 'none', near: ['alpha', 'alpho'], wrong: 1 } as const
    expect(names.meaning('Kenya Alphxn')).toEqual(near)
    expect(names.meaning('Kenya Alphon')).toEqual({ kind: 'one', id: 'alpho' })
  })

  test('knows what is misspelt besides names, if it has four letters or more', () => {
    expect(names.meaning('Mombasa')).toEqual({ kind: 'none', near: ['alpho'], wrong: 0 })
    expect(names.meaning('Goma')).toEqual({ kind: 'none', near: ['alpho'], wrong: 0 })
    expect(names.meaning('Gomo')).toMatchObject({ kind: 'none', near: ['alpho'], wrong: 1 })
    expect(names.meaning('Ely')).toMatchObject({ kind: 'none', near: [] })
  })

  test('takes an id before a name that is the same', () => {
    expect(names.meaning('BB')).toEqual({ kind: 'one', id: 'bb' })
  })

  test('knows a name of the greatest length, and nothing that is longer', () => {
    const longest = 'y'.repeat(NAME_LENGTH_MAX)
    expect(names.exact(longest)).toEqual({ kind: 'one', id: 'x' })
    expect(names.exact(`${longest}y`)).toMatchObject({ kind: 'none', near: [] })
    const said = `${'alphon bank '.repeat(4)}of kenya alphons`
    expect(said).toHaveLength(NAME_LENGTH_MAX)
    expect(names.meaning(said)).toEqual({ kind: 'one', id: 'alpho' })
    expect(names.meaning(`the ${said}`)).toMatchObject({ kind: 'none', near: [] })
  })
})
