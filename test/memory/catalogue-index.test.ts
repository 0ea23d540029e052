import { describe, expect, test } from 'bun:test'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { currency, provider } from '../support/catalogue.ts'

const catalogue = new CatalogueIndex({
  currencies: [
    currency('NGN', { sortOrder: 2 }),
    currency('KES', { sortOrder: 2 }),
    currency('USD', { sortOrder: 1 }),
    currency('SLL', { isActive: false, sortOrder: 0 }),
  ],
  providers: [
    provider('z', { name: 'Alpha' }),
    provider('b', { name: 'Beta' }),
    provider('a', { name: 'Beta' }),
    provider('gone', { name: 'Aaa', isActive: false }),
  ],
})

describe('CatalogueIndex', () => {
  test('lists active currencies by sort order, then code, and their codes in alphabetical order', () => {
    expect(catalogue.currencies.map(({ code }) => code)).toEqual(['USD', 'KES', 'NGN'])
    expect(catalogue.supportedCodes).toEqual(['KES', 'NGN', 'USD'])
  })

  test('lists active providers by name, then id', () => {
    expect(catalogue.providers.map(({ id }) => id)).toEqual(['z', 'a', 'b'])
  })

  test('finds only active entries, by the exact name', () => {
    expect(catalogue.currency('KES')?.code).toBe('KES')
    expect(catalogue.currency('SLL')).toBeUndefined()
    expect(catalogue.currency('kes')).toBeUndefined()
    expect(catalogue.provider('a')?.name).toBe('Beta')
    expect(catalogue.provider('gone')).toBeUndefined()
    expect(catalogue.provider('__proto__')).toBeUndefined()
  })

  test('names the currencies to request from a feed: the active fiat ones except the dollar', () => {
    const coin = { ...catalogue.currency('KES')!, code: 'USDC', kind: 'stablecoin' as const }
    const { currencies, providers } = catalogue
    const more = new CatalogueIndex({ currencies: [...currencies, coin], providers })
    expect(more.referenceCodes).toEqual(['KES', 'NGN'])
  })

  test('has the times when each provider was active, and an unknown one as always active', () => {
    const { currencies, providers } = catalogue
    const change = { providerId: 'gone', sinceMs: 5, isActive: false }
    const turned = new CatalogueIndex({
      currencies,
      providers: [...providers, provider('gone', { isActive: false })],
      activity: [change],
    })
    expect(turned.changes).toBe(1)
    expect(turned.activityOf('gone')).toEqual({ isActive: false, changes: [change] })
    expect(turned.activityOf('a')).toEqual({ isActive: true, changes: [] })
    expect(catalogue.activityOf('gone')).toEqual({ isActive: false, changes: [] })
    expect(catalogue.activityOf('unheard')).toEqual({ isActive: true, changes: [] })
  })

  test('is empty without entries', () => {
    expect(CatalogueIndex.empty.currencies).toEqual([])
    expect(CatalogueIndex.empty.providers).toEqual([])
    expect(CatalogueIndex.empty.supportedCodes).toEqual([])
  })
})
