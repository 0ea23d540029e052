import { beforeEach, describe, expect, test } from 'bun:test'
import type { Provider } from '~/domain/provider.ts'
import { initialsOf } from '~/portal/providers/logo.tsx'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, rowsOf, textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const OWN = 'https://retail-b.example/'

let world: World
const know = (more: Partial<Provider>) =>
  world.memory.publish({ catalogue: catalogueWith(more) }, world.clock.now())
beforeEach(() => {
  world = new World({ publicUrl: 'https://rates.example' })
})

describe('GET /providers', () => {
  test('says how many of the providers it lists, if not all', async () => {
    const [one] = PROVIDERS
    const many = (length: number) =>
      Array.from({ length }, (_, i) => ({ ...one!, id: `p-${i}`, name: `P ${i}` }))
    for (const [count, says] of [
      [2000, false],
      [2001, true],
    ] as const) {
      const catalogue = { currencies: CURRENCIES, providers: many(count) }
      world.memory.publish({ catalogue }, world.clock.now())
      const { text } = await visit(world, '/providers')
      expect(text.match(/<li class="with-logo">/g)).toHaveLength(2000)
      expect([count, text.includes('The first 2,000 of 2,001.')]).toEqual([count, says])
    }
  })
})

describe('GET /providers/:id', () => {
  test('returns 200 with its prices in each of its corridors, and only its own', async () => {
    world.quote(
      { providerId: 'retail-b', rate: 130, fee: 1.5, feeCurrency: 'USD', at: EARLIER },
      { providerId: 'retail-b', rate: 1500, fee: 0, to: 'NGN', at: '2026-01-05T13:00:00Z' },
      { providerId: 'retail-a', rate: 131, at: EARLIER },
    )
    const { status, text } = await visit(world, '/providers/retail-b')
    expect(status).toBe(200)
    expect(rowsOf(text).slice(1)).toEqual([
      ['USD to KES', '130.00', '$1.50', '85 minutes ago 5 Mar 2026, 13:00 UTC'],
      ['USD to NGN', '1,500.00', 'no fee', '59 days ago 5 Jan 2026, 13:00 UTC old'],
    ])
    expect(text).toContain('<title>Provider retail-b · Corridor</title>')
    expect(text).toContain(
      '<link rel="canonical" href="https://rates.example/providers/retail-b"/>',
    )
    expect(text).toContain('href="/send/united-states-to-kenya"')
  })

  test('marks a price that is suspect, and one that was not observed', async () => {
    world.reference({ KES: 131, UGX: 3700 }, { at: '2026-03-05T12:00:00Z' })
    world.quote({ providerId: 'retail-b', rate: 150, at: EARLIER })
    world.quote({ providerId: 'retail-b', rate: 3600, to: 'UGX', at: EARLIER, evidence: 'derived' })
    const { text } = await visit(world, '/providers/retail-b')
    expect(
      rowsOf(text)
        .slice(1)
        .map((row) => row[1]),
    ).toEqual([
      '150.00 suspect: 14.5% above the mid of its day',
      '3,600.00 worked out from a margin or another source',
    ])
  })

  test('returns 200 with the countries of its offers, and a link to its own site', async () => {
    know({ websiteUrl: OWN, logoUrl: '/flags/ke.svg', region: 'East Africa' })
    const between = offer({ sourceCountry: 'ZW', targetCountry: 'KE' })
    world.quote({ providerId: 'retail-b', rate: 130, at: EARLIER, offer: between })
    const { text } = await visit(world, '/providers/retail-b')
    expect(text).toContain('href="/send/zimbabwe-to-kenya"')
    expect(text).toContain(`<a href="${OWN}" rel="noopener nofollow">`)
    expect(text).toContain('<img class="logo" src="/flags/ke.svg" alt')
    expect(textOf(text)).toContain('Works in: East Africa')
  })

  test.each(['https://cdn.example/logo.svg', '//cdn.example/logo.svg', null])(
    'shows initials instead of %p, which is not a logo of our own',
    async (logoUrl) => {
      know({ logoUrl })
      world.quote({ providerId: 'retail-b', rate: 130, at: EARLIER })
      for (const path of ['/providers/retail-b', '/providers', '/?from=USD&to=KES']) {
        const { text } = await visit(world, path)
        expect(text).toContain('<span class="logo" data-initials="PR" aria-hidden="true">')
        expect(text).not.toContain('cdn.example')
      }
    },
  )

  test('returns 200 without a price, which search engines must not list', async () => {
    const { status, text } = await visit(world, '/providers/retail-b')
    expect([status, text.includes('content="noindex"')]).toEqual([200, true])
    expect(textOf(text)).toContain('No prices of Provider retail-b at the moment')
  })

  test('returns 404 to a provider that is unknown or no longer active', async () => {
    know({ isActive: false })
    for (const id of ['retail-b', 'nope', '%00', '..%2f'])
      expect([id, (await visit(world, `/providers/${id}`)).status]).toEqual([id, 404])
  })

  test('shows its name as text', async () => {
    know({ name: HOSTILE_NAME })
    const { text } = await visit(world, '/providers/retail-b')
    expect(textOf(text)).toContain(HOSTILE_NAME)
    expect(text).not.toContain('<script>')
  })
})

describe('GET /providers', () => {
  test('lists every active provider', async () => {
    const { text } = await visit(world, '/providers')
    for (const id of ['retail-a', 'official-b']) expect(text).toContain(`href="/providers/${id}"`)
  })
})

describe('initialsOf', () => {
  test.each([
    ['Wise', 'W'],
    ['Western Union', 'WU'],
    ['M-Pesa', 'MP'],
    ['Post Office UK via Western Union', 'PO'],
    ['état Ünion', 'ÉÜ'],
    ['1st Bank', '1B'],
    ['', ''],
    ['–', ''],
  ])('of %p are %p', (name, initials) => expect(initialsOf(name)).toBe(initials))
})
