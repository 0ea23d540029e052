import { beforeEach, describe, expect, test } from 'bun:test'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const PAGE = '/send/united-states-to-kenya'

let world: World
beforeEach(() => {
  world = new World({ publicUrl: 'https://rates.example/fx' })
  world.reference({ KES: 131, NGN: 1500, GBP: 0.75 }, { at: '2026-03-05T12:00:00Z' })
})

const plain = { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER }

describe('GET /send/:pair', () => {
  test('200 with the best price for the amount, and every provider', async () => {
    world.quote(plain, { providerId: 'retail-b', rate: 129, fee: 0, at: EARLIER })
    const { status, text } = await visit(world, `${PAGE}?amount=200`)
    expect(status).toBe(200)
    expect(text).toContain('<h1>United States to Kenya</h1>')
    expect(textOf(text)).toContain("Most they'd get for $200 25,870.00 KES with Provider retail-a")
    expect(text.match(/<span class="place">/g)).toHaveLength(2)
    expect(text).toContain('value="United States · USD"')
    expect(text).toContain('value="Kenya · KES"')
    expect(text).toContain('href="/fx/?from=USD&amp;to=KES&amp;amount=200"')
  })

  test('200 with its own title, description and address, whatever its query', async () => {
    world.quote(plain)
    for (const query of ['', '?amount=200', '?recipient_gets=1000&pay_in=cash']) {
      const { text } = await visit(world, PAGE + query)
      expect(text).toContain('<title>Send money from the United States to Kenya · Corridor</title>')
      expect(text).toContain(`<link rel="canonical" href="https://rates.example/fx${PAGE}"/>`)
      expect(text).not.toContain('noindex')
    }
    const { text } = await visit(world, `${PAGE}?amount=200`)
    expect(text).toContain(
      '<meta name="description" content="Sending money from the United States to Kenya: one ' +
        'price compared, fees and exchange rate included. At best 25,870.00 KES arrives for ' +
        '$200, with Provider retail-a."/>',
    )
  })

  test.each([
    ['us-to-ke', PAGE],
    ['USA-to-Kenya', PAGE],
    ['the-united-states-to-kenya', PAGE],
    ['%F0%9F%87%BA%F0%9F%87%B8-to-KE', PAGE],
    ['uk-to-nigeria', '/send/united-kingdom-to-nigeria'],
  ])('308 of %s to its one address', async (slug, path) => {
    const { status, headers } = await visit(world, `/send/${slug}?amount=5`)
    expect([status, headers.get('location')]).toEqual([308, `/fx${path}?amount=5`])
  })

  test.each([
    ...[
      'kenya',
      'kenya-to-kenya',
      'a-to-b',
      'kenya-to-',
      '%E0%A4%A',
      'japan-to-kenya',
      'x'.repeat(3000),
    ],
    ...['..%2f..%2fetc', '%00-to-kenya', 'kenya-to-nigeria-to-ghana'],
  ])('404 as a page to %s', async (slug) => {
    const { status, text } = await visit(world, `/send/${slug}`, { accept: 'text/html' })
    expect([status, text.includes('<h1>Page not found</h1>')]).toEqual([404, true])
  })

  test('200 where nobody has a price, which search engines are told not to list', async () => {
    const { status, text } = await visit(world, '/send/kenya-to-nigeria')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No prices from Kenya to Nigeria yet')
    expect(text).toContain('<meta name="robots" content="noindex"/>')
    expect(text).not.toContain('rel="canonical"')
  })

  test('400 with what is wrong beside its field', async () => {
    world.quote(plain)
    const { status, text } = await visit(world, `${PAGE}?amount=-3`)
    expect(status).toBe(400)
    expect(textOf(text)).toContain('The amount must be more than zero.')
  })

  test('200 in the currency asked for, and with the others that have prices', async () => {
    world.quote({ ...plain, from: 'USD', to: 'KES' })
    world.quote({ ...plain, from: 'USD', to: 'KES', providerId: 'retail-b' })
    const { text } = await visit(world, '/send/zimbabwe-to-kenya?from=usd')
    expect(text).toContain('value="Zimbabwe · USD"')
    expect((await visit(world, `${PAGE}?from=XXX&to=KES`)).status).toBe(200)
  })

  test('200 with names as text, and no script of theirs', async () => {
    world.memory.publish({ catalogue: catalogueWith({ name: HOSTILE_NAME }) }, world.clock.now())
    world.quote({ ...plain, providerId: 'retail-b' })
    const { text } = await visit(world, `${PAGE}?amount=%22%3E%3Cscript%3E`)
    expect(text).not.toContain('<script>')
    const named = await visit(world, PAGE)
    expect(textOf(named.text)).toContain(`with ${HOSTILE_NAME}`)
    expect(named.text).not.toContain('<script>')
  })

  test('200 with the other countries to send to, and from', async () => {
    world.quote(plain, { ...plain, to: 'NGN' }, { ...plain, from: 'GBP' })
    const { text } = await visit(world, PAGE)
    const links = [...text.matchAll(/href="\/fx(\/send\/[^"?]+)"/g)].map(([, path]) => path)
    expect(links).toEqual(['/send/united-states-to-nigeria', '/send/united-kingdom-to-kenya'])
  })

  test('405 to POST, with the methods that it takes', async () => {
    const { app } = world
    const reply = await app.handle(new Request(`http://localhost${PAGE}`, { method: 'POST' }))
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('what a pair costs', () => {
  const between = offer({ sourceCountry: 'US', targetCountry: 'KE', payIn: ['debit_card'] })
  const priced = (rate: number, more = {}) => ({ ...plain, fee: 0, rate, offer: between, ...more })

  test('is shown as a bar in words, against the goal of the United Nations', async () => {
    world.quote(priced(131 * 0.98), priced(131 * 0.95, { providerId: 'retail-b' }))
    world.quote(priced(131 * 0.96, { providerId: 'p2p-a' }))
    const text = textOf((await visit(world, `${PAGE}?amount=200`)).text)
    expect(text).toContain('What it costs to send $200 from the United States to Kenya')
    expect(text).toContain(
      'On average it costs 3.67%, more than the 3% that the United Nations aim at. ' +
        'One offer costs no more than that; the three cheapest cost 3.67%.',
    )
    expect(text).toContain('Average of 3 offers 3.67%, $7.33')
    expect(text).toContain('Goal of the United Nations 3.00%, $6.00')
  })

  test('is not shown where no offer names both countries', async () => {
    world.quote(plain)
    expect((await visit(world, PAGE)).text).not.toContain('costs-title')
  })
})

describe('GET /send', () => {
  test('200 with every pair, by the country that the money comes from', async () => {
    world.quote(plain, { ...plain, from: 'GBP', to: 'NGN' }, { ...plain, from: 'EUR', to: 'XOF' })
    const { status, text } = await visit(world, '/send')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('2 pairs of countries with prices')
    expect(textOf(text)).toContain('From the United Kingdom Nigeria From the United States Kenya')
  })

  test('200 with nothing to list', async () => {
    expect(textOf((await visit(world, '/send')).text)).toContain('No prices yet')
  })
})
