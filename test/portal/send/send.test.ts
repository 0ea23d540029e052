import { beforeEach, describe, expect, test } from 'bun:test'
import { CURRENCIES, currency, PROVIDERS } from '../../support/catalogue.ts'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, rowsOf, textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const PAGE = '/send/united-states-to-kenya'

let world: World
beforeEach(() => {
  world = new World({ publicUrl: 'https://rates.example/fx' })
  world.reference({ KES: 131, NGN: 1500, GBP: 0.75 }, { at: '2026-03-05T12:00:00Z' })
})

const plain = { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER }

describe('GET /send/:pair', () => {
  test('returns 200 with the best price for the amount, and every provider', async () => {
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

  test('returns 200 with its own title, description and address, whatever its query', async () => {
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
  ])('returns 308 from %s to its one address', async (slug, path) => {
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
  ])('returns 404 as a page to %s', async (slug) => {
    const { status, text } = await visit(world, `/send/${slug}`, { accept: 'text/html' })
    expect([status, text.includes('<h1>Page not found</h1>')]).toEqual([404, true])
  })

  test('returns 200 without any price, which search engines must not list', async () => {
    const { status, text } = await visit(world, '/send/kenya-to-nigeria')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No prices from Kenya to Nigeria yet')
    expect(text).toContain('<meta name="robots" content="noindex"/>')
    expect(text).not.toContain('rel="canonical"')
  })

  test('returns 400 with the error next to its field', async () => {
    world.quote(plain)
    const { status, text } = await visit(world, `${PAGE}?amount=-3`)
    expect(status).toBe(400)
    expect(textOf(text)).toContain('The amount must be more than zero.')
  })

  test('uses the requested currency, and lists the others that have prices', async () => {
    world.quote({ ...plain, from: 'USD', to: 'KES' })
    world.quote({ ...plain, from: 'USD', to: 'KES', providerId: 'retail-b' })
    const { text } = await visit(world, '/send/zimbabwe-to-kenya?from=usd')
    expect(text).toContain('value="Zimbabwe · USD"')
    expect((await visit(world, `${PAGE}?from=XXX&to=KES`)).status).toBe(200)
  })

  test('shows names as text, and none of their scripts', async () => {
    world.memory.publish({ catalogue: catalogueWith({ name: HOSTILE_NAME }) }, world.clock.now())
    world.quote({ ...plain, providerId: 'retail-b' })
    const { text } = await visit(world, `${PAGE}?amount=%22%3E%3Cscript%3E`)
    expect(text).not.toContain('<script>')
    const named = await visit(world, PAGE)
    expect(textOf(named.text)).toContain(`with ${HOSTILE_NAME}`)
    expect(named.text).not.toContain('<script>')
  })

  test('lists the other countries to send to, and from', async () => {
    world.quote(plain, { ...plain, to: 'NGN' }, { ...plain, from: 'GBP' })
    const { text } = await visit(world, PAGE)
    const links = [...text.matchAll(/href="\/fx(\/send\/[^"?]+)"/g)].map(([, path]) => path)
    expect(links).toEqual(['/send/united-states-to-nigeria', '/send/united-kingdom-to-kenya'])
  })

  test('returns 405 to POST, with the allowed methods', async () => {
    const { app } = world
    const reply = await app.handle(new Request(`http://localhost${PAGE}`, { method: 'POST' }))
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('the costs of a pair', () => {
  const between = offer({ sourceCountry: 'US', targetCountry: 'KE', payIn: ['debit_card'] })
  const priced = (rate: number, more = {}) => ({ ...plain, fee: 0, rate, offer: between, ...more })

  test('are shown as a bar in words, against the goal of the United Nations', async () => {
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

  test('are not shown if no offer names both countries', async () => {
    world.quote(plain)
    expect((await visit(world, PAGE)).text).not.toContain('costs-title')
  })
})

describe('offers between two countries', () => {
  const between = (more = {}) => offer({ sourceCountry: 'US', targetCountry: 'KE', ...more })
  const HOUR_MS = 3_600_000
  const rowsIn = (text: string) =>
    rowsOf(text)
      .filter((row) => row.length === 6)
      .map(([who]) => who!)
  beforeEach(() => {
    const card = between({ payIn: ['debit_card'], payOut: ['mobile_money'], channel: 'internet' })
    const quick = between({ payIn: ['cash'], deliveryMaxMs: HOUR_MS, service: 'Express' })
    const elsewhere = offer({ sourceCountry: 'ZW', targetCountry: 'KE' })
    world.quote(
      { ...plain, fee: 0, rate: 128, offer: card },
      { ...plain, fee: 2, rate: 127, offer: quick },
      { ...plain, fee: 0, rate: 135, offer: elsewhere },
      { ...plain, fee: 0, rate: 126, providerId: 'retail-b' },
      {
        ...plain,
        fee: 0,
        rate: 125,
        providerId: 'p2p-a',
        offer: between({ amountMin: 100, amountMax: 100 }),
      },
    )
  })

  test('have the best of each provider, its conditions, and what is unspecified', async () => {
    const { text } = await visit(world, `${PAGE}?amount=200`)
    const [first, second, third] = rowsIn(text).filter((who) => who.includes('Provider '))
    expect(first).toBe(
      '1Provider retail-a best money transfer · pay by debit card · they get mobile money · ' +
        'online · takes minutes',
    )
    expect(second).toContain('does not say for which countries')
    expect(third).toContain('priced for $100, which is nearest')
    expect(textOf(text)).toContain('of $100')
    expect([first, second].map((who) => who?.at(0))).toEqual(['1', 'P'])
    expect(text).not.toContain('27,000.00')
  })

  test('have every offer of each provider on request', async () => {
    const one = await visit(world, PAGE)
    expect(one.text).toContain(`href="/fx${PAGE}?amount=100&amp;offers=all"`)
    const { text } = await visit(world, `${PAGE}?offers=all`)
    expect(rowsIn(text).filter((who) => who.includes('retail-a'))).toHaveLength(2)
    expect(rowsIn(text).join()).toContain('Express · pay by cash · arrives within 60 minutes')
    expect(text).toContain('<input type="hidden" name="offers" value="all"/>')
  })

  test('have checkboxes for the conditions of offers, which work without a script', async () => {
    const { text } = await visit(world, PAGE)
    const [form] = /<details class="filters">.*?<\/details>/s.exec(text)!
    expect(form).toContain(`<form class="details-body" action="/fx${PAGE}" method="get">`)
    const boxes = [...form.matchAll(/type="(checkbox|radio)" name="(\w+)" value(?:="(\w*)")?/g)]
    expect(boxes.map(([, , name, value]) => `${name}=${value ?? ''}`)).toEqual([
      ...['pay_in=cash', 'pay_in=debit_card', 'pay_out=mobile_money', 'delivery_max='],
      ...['delivery_max=PT1H', 'delivery_max=P1D', 'delivery_max=P3D', 'delivery_max=P5D'],
    ])
    expect(form).toContain('<input type="hidden" name="amount" value="100"/>')
  })

  test('show the chosen conditions, and the way back to all', async () => {
    const { text } = await visit(world, `${PAGE}?amount=200&pay_in=cash&delivery_max=P1D`)
    expect(text).toContain('<details class="filters" open>')
    expect(text).toContain('name="pay_in" value="cash" checked')
    expect(text).toContain('name="delivery_max" value="P1D" checked')
    expect(textOf(text)).toContain('(2 chosen)')
    expect(text).toContain(`<a href="/fx${PAGE}?amount=200">Show all</a>`)
    const rows = rowsIn(text).filter((who) => who.includes('retail-a'))
    expect(rows).toEqual([expect.stringContaining('pay by cash')])
    expect(text).toContain('<input type="hidden" name="pay_in" value="cash"/>')
  })

  test.each(['pay_in=gold', 'delivery_max=P9Y', 'pay_in=&delivery_max=', 'offers=some'])(
    'return 200 to %s, which requests nothing that exists',
    async (query) => {
      const { status, text } = await visit(world, `${PAGE}?${query}`)
      expect([status, text.includes('<details class="filters">')]).toEqual([200, true])
    },
  )

  test('name the conditions that no provider offers, and link to all prices', async () => {
    const of = new World()
    of.quote({ ...plain, offer: between({ payIn: ['cash'] }) })
    const asked = 'amount=350&pay_in=mobile_money&sort=cost'
    const { status, text } = await visit(of, `${PAGE}?${asked}`)
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No prices from the United States to Kenya for what you chose')
    const all = `${PAGE}?amount=350&amp;sort=cost`
    expect(text).toContain(`<a href="${all}">See all prices for these countries.</a>`)
    const none = await visit(of, '/send/zimbabwe-to-kenya?pay_in=cash')
    expect(textOf(none.text)).toContain('No prices from Zimbabwe to Kenya yet')
    expect(none.text).not.toContain('value="debit_card"')
  })

  test('show a percentage on top of the fee, and a percentage as the only fee', async () => {
    const of = new World()
    of.quote(
      { ...plain, fee: 2, offer: between({ feePercent: 1.5 }) },
      { ...plain, fee: null, providerId: 'retail-b', offer: between({ feePercent: 1 }) },
    )
    const rows = rowsOf((await visit(of, `${PAGE}?amount=200`)).text)
    expect(rows.filter((row) => row.length === 6).map((row) => row[3])).toEqual([
      ...['Fee', '1.00%', '$2.00 + 1.50%'],
    ])
  })

  test('use the currency of offers that name the countries, before others with prices', async () => {
    const rand = offer({ sourceCountry: 'LS', targetCountry: 'KE' })
    const currencies = [...CURRENCIES, currency('LSL')]
    world.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, world.clock.now())
    world.quote({ ...plain, from: 'LSL' }, { ...plain, from: 'ZAR', rate: 7, offer: rand })
    const { text } = await visit(world, '/send/lesotho-to-kenya')
    expect(text).toContain('value="Lesotho · ZAR"')
    expect(text).toContain('href="/fx/send/lesotho-to-kenya?from=LSL&amp;to=KES"')
    const other = await visit(world, '/send/lesotho-to-kenya?from=lsl')
    expect(other.text).toContain('value="Lesotho · LSL"')
  })

  test('include one currency for both sides', async () => {
    const dollars = offer({ sourceCountry: 'US', targetCountry: 'LR', payIn: ['cash'] })
    world.quote({ ...plain, to: 'USD', rate: 0.98, offer: dollars })
    const { status, text } = await visit(world, '/send/united-states-to-liberia?amount=100')
    expect(status).toBe(200)
    expect(textOf(text)).toContain("Most they'd get for $100 $97.02 with Provider retail-a")
    expect(text).not.toContain('whatever the countries')
    const moved = await visit(world, '/?from=United States&to=Liberia')
    expect(moved.headers.get('location')).toBe('/fx/send/united-states-to-liberia')
  })
})

describe('GET /send', () => {
  test('lists every pair, by the country that the money comes from', async () => {
    world.quote(plain, { ...plain, from: 'GBP', to: 'NGN' }, { ...plain, from: 'EUR', to: 'XOF' })
    const { status, text } = await visit(world, '/send')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('2 pairs of countries with prices')
    expect(textOf(text)).toContain('From the United Kingdom Nigeria From the United States Kenya')
  })

  test('returns 200 with nothing to list', async () => {
    expect(textOf((await visit(world, '/send')).text)).toContain('No prices yet')
  })
})
