import { beforeEach, describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { noState } from '~/domain/feed/state.ts'
import { CURRENCIES, currency, PROVIDERS } from '../../support/catalogue.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, pastWith, rowsOf, textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const QUERY = '/?from=USD&to=KES&amount=100'

let world: World
beforeEach(() => {
  world = new World()
})

const providerNames = (html: string): string[] =>
  [...html.matchAll(/<span class="place">([^<]+)<\/span>.*?<a [^>]*>([^<]*)/g)].map(
    ([, place, name]) => `${place} ${name!.trim()}`,
  )

describe('GET /', () => {
  test('has each kind separate, ranked by what the recipient nets', async () => {
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD', at: EARLIER },
      { providerId: 'retail-b', rate: 129, fee: 0, feeCurrency: 'USD', at: EARLIER },
      { providerId: 'p2p-a', rate: 128, at: EARLIER },
      { providerId: 'official-a', rate: 140, at: EARLIER },
      { providerId: 'parallel-a', rate: 150, at: EARLIER },
    )
    const { status, text } = await visit(world, QUERY)
    expect(status).toBe(200)
    expect(providerNames(text)).toEqual([
      '1 Provider retail-b',
      '2 Provider retail-a',
      '\u00a0 Provider p2p-a',
      '1 Provider official-a',
      '1 Provider parallel-a',
    ])
    const heads = [...text.matchAll(/<h2 id="kind-\w+">([^<]*)/g)].map(([, title]) => title)
    expect(heads).toEqual([
      'Retail',
      'Peer to peer',
      'For comparison: official',
      'For comparison: parallel',
    ])
    expect(text.match(/tag-good">best</g)).toHaveLength(1)
    expect(textOf(text)).toContain('12,900.00 KES with Provider retail-b')
  })

  test('has for each quote what arrives, how much less, its cost, fee, rate and time', async () => {
    world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 1.5, feeCurrency: 'USD', at: EARLIER },
      { providerId: 'retail-b', rate: 129.35, fee: 20, feeCurrency: 'KES', at: EARLIER },
    )
    const { text } = await visit(world, QUERY)
    const rows = rowsOf(text).filter((row) => row.length === 6)
    expect(rows.slice(1)).toEqual([
      [
        '1Provider retail-b best money transfer · takes minutes · by bank transfer',
        '12,915.00',
        '$1.41 1.41%',
        '20.00 KES',
        '129.35',
        '85 minutes ago 5 Mar 2026, 13:00 UTC',
      ],
      [
        '2Provider retail-a money transfer · takes minutes · by bank transfer',
        '12,805.00 110.00 KES less',
        '$2.26 2.26%',
        '$1.50',
        '130.00',
        '85 minutes ago 5 Mar 2026, 13:00 UTC',
      ],
    ])
    const label = textOf(text)
    expect(label).toContain('131.00 KES for 1 USD, from feed, 2 hours ago (5 Mar 2026, 12:00 UTC)')
  })

  test.each([
    ['disputed', 'disputed Feeds disagree on this rate, so prices are compared with it only'],
    ['single', 'single One feed alone gives this rate; no second one confirms it.'],
    ['consensus', null],
  ] as const)('marks a mid that is %s, and explains it', async (basis, mark) => {
    const atMs = Date.parse('2026-03-05T12:30:00Z')
    const said = { currency: 'KES', perUsd: 131, source: 'a,b', basis }
    world.memory.publish({ references: [{ id: 9_999, atMs, ...said }] }, world.clock.now())
    const text = textOf((await visit(world, QUERY)).text)
    if (mark === null) expect(text).not.toContain('single One feed')
    else expect(text).toContain(mark)
  })

  test('says that a single feed moved a currency of the pair far', async () => {
    const said = { dispersionBps: null, left: [], basis: 'single' } as const
    const moved = { pct: 6.5, atMs: world.clock.now() }
    const support = ['KES', 'NGN'].map((currency) => ({ ...said, currency, moved }))
    world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    world.memory.publish({ feeds: { ...noState, support } }, world.clock.now())
    const text = textOf((await visit(world, QUERY)).text)
    expect(text).toContain("moved the dollar's price in KES by +6.50% within a day.")
    expect(text).not.toContain('price in NGN')
  })

  test("explains a mid that follows a peg, without the API's name of the source", async () => {
    const peg = { to: 'EUR', rate: 131 }
    const currencies = CURRENCIES.map((known) => (known.code === 'KES' ? { ...known, peg } : known))
    world.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, world.clock.now())
    world.reference({ EUR: 1 }, { at: '2026-03-05T12:00:00Z' })
    const { text } = await visit(world, QUERY)
    expect(textOf(text)).toContain('for 1 USD, from feed with the fixed rate to EUR, 2 hours ago')
    expect(text).not.toContain('peg:')
  })

  test('shows the prices of the top of the hour, says so and when that changes', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    world.quote({ providerId: 'retail-a', rate: 131, at: '2026-03-05T14:10:00Z' })
    const before = await visit(world, QUERY)
    expect(textOf(before.text)).toContain('As of 14:00 UTC')
    expect(textOf(before.text)).toContain('These pages are updated every hour, next at 15:00 UTC')
    expect(rowsOf(before.text)[1]![4]).toBe('130.00')
    world.clock.set('2026-03-05T15:00:00Z')
    expect(rowsOf((await visit(world, QUERY)).text)[1]![4]).toBe('131.00')
  })

  test('names missing facts as missing, and never invents them', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    world.quote({ providerId: 'retail-b', rate: 120, fee: 7, feeCurrency: 'NGN', at: EARLIER })
    world.quote({ providerId: 'p2p-a', rate: 120, fee: 500, feeCurrency: 'USD', at: EARLIER })
    const text = textOf((await visit(world, QUERY)).text)
    expect(text).toContain('unknown: no mid for its fee')
    expect(text).toContain('7.00 NGN')
    expect(text).toContain('nothing: the fee takes all of it')
    expect(text).toContain('fee unknown')
    expect(text).toContain('Mid-market rate Not known')
    expect(text).toContain('no mid that day')
  })

  test('labels prices that an aggregator calculated', async () => {
    const catalogue = catalogueWith({ providerType: 'aggregator' })
    world.memory.publish({ catalogue }, world.clock.now())
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    world.quote({ providerId: 'retail-b', rate: 129, at: EARLIER })
    const { text } = await visit(world, QUERY)
    const rows = rowsOf(text).map(([who]) => who!)
    expect(rows.filter((who) => who.includes("worked out from others' prices"))).toEqual([
      expect.stringContaining('Provider retail-b'),
    ])
  })

  test('leads with the best current price, and folds older ones below without a tag', async () => {
    world.reference({ KES: 131 }, { at: '2026-02-20T12:00:00Z' })
    world.reference({ KES: 140 }, { at: '2026-03-05T12:00:00Z' })
    world.quote({ providerId: 'retail-b', rate: 130, fee: 0, at: '2026-02-20T13:00:00Z' })
    world.quote({ providerId: 'retail-a', rate: 129, fee: 1, at: EARLIER })
    world.quote({ providerId: 'official-a', rate: 139, at: '2026-01-20T13:00:00Z' })
    const { text } = await visit(world, QUERY)
    expect(textOf(text)).toContain(
      "Most they'd get for $100 12,771.00 KES with Provider retail-a, after its fee; price seen " +
        '85 minutes ago (5 Mar 2026, 13:00 UTC). Total cost $8.86 (8.86%).',
    )
    const [current, older] = text.split('<details class="older">')
    expect(textOf(older!)).toStartWith('Older prices, seen 13 to 44 days ago ')
    expect(providerNames(current!)).toEqual(['1 Provider retail-a'])
    expect(providerNames(older!)).toEqual([
      '\u00a0 Provider retail-b',
      '\u00a0 Provider official-a',
    ])
    expect(older).not.toContain('tag-good')
    expect(older).not.toContain(' less')
    expect(textOf(older!)).toContain('13,000.00 $0.76 0.76% no fee 130.00 13 days ago')
    expect(textOf(older!)).toContain('13,900.00 no mid that day')
    world.quote({ providerId: 'official-a', rate: 139, at: '2026-02-20T00:00:00Z' })
    const [, later] = (await visit(world, QUERY)).text.split('<details class="older">')
    expect(textOf(later!)).toContain('20 Feb 2026, 00:00 UTC bank’s date: 20 Feb 2026')
    expect(textOf(later!)).not.toContain('today’s mid')
  })

  test('says that no price is current, with the older ones open', async () => {
    world.quote({ providerId: 'retail-a', rate: 140, fee: 0, at: '2024-09-01T13:00:00Z' })
    const { text } = await visit(world, QUERY)
    expect(textOf(text)).toContain(
      'No current price The newest price was seen 18 months ago and may no longer hold.',
    )
    expect(text).toContain('<details class="older" open>')
    expect(textOf(text)).toContain('Older prices, seen 18 months ago')
    expect(text).not.toContain('tag-good')
  })

  test('says that only a central bank has a rate', async () => {
    world.reference({ KES: 131 }, { at: EARLIER })
    world.quote({ providerId: 'official-a', rate: 130, at: EARLIER })
    const text = textOf((await visit(world, QUERY)).text)
    expect(text).toContain(
      'Official rate only No provider gives a price at which money can be sent.',
    )
    expect(text).toContain('13,000.00 −0.76% – 130.00')
  })

  test('ranks no price with an unknown fee, and never leads with it', async () => {
    world.reference({ KES: 131 }, { at: EARLIER })
    world.quote(
      { providerId: 'retail-a', rate: 130, at: EARLIER },
      { providerId: 'retail-b', rate: 120, fee: 1, at: EARLIER },
    )
    const { text } = await visit(world, QUERY)
    expect(providerNames(text)).toEqual(['1 Provider retail-b', '\u00a0 Provider retail-a'])
    const rows = rowsOf(text).filter(([who]) => who!.includes('Provider retail'))
    expect(rows[0]![0]).toContain(' best ')
    expect(rows[1]!.slice(1, 4)).toEqual(['13,000.00 before any fee', '0.76% + fee', 'fee unknown'])
    expect(textOf(text)).toContain("Most they'd get for $100 11,880.00 KES with Provider retail-b")
    world.quote({ providerId: 'retail-b', rate: 120, at: '2026-03-05T14:00:00Z' })
    expect(textOf((await visit(world, QUERY)).text)).toContain(
      'Not known Fee unknown: the fee is not stated.',
    )
  })

  test('has the source of a price, once if it is the same for all', async () => {
    const derived = { evidence: 'derived', fee: 0, at: EARLIER } as const
    world.quote({ providerId: 'retail-a', rate: 130, ...derived })
    world.quote({ providerId: 'retail-b', rate: 129, fee: 0, evidence: 'indicative', at: EARLIER })
    const apart = rowsOf((await visit(world, QUERY)).text).map(([who]) => who!)
    expect(apart.find((who) => who.includes('retail-a'))).toContain(
      'worked out from a margin or another source',
    )
    expect(apart.find((who) => who.includes('retail-b'))).toContain('advertised, not surely')
    world.quote({ providerId: 'retail-b', rate: 129, ...derived, at: '2026-03-05T14:00:00Z' })
    const { text } = await visit(world, QUERY)
    expect(textOf(text)).toContain(
      'Each of these prices is worked out from a margin or another source.',
    )
    expect(rowsOf(text).some(([who]) => who!.includes('worked out'))).toBe(false)
  })

  test('has the amount to send for an amount to arrive, least first', async () => {
    world.reference({ KES: 131 }, { at: EARLIER })
    world.quote(
      { providerId: 'retail-a', rate: 125, fee: 0, at: EARLIER },
      { providerId: 'retail-b', rate: 130, fee: 10, at: EARLIER },
    )
    const { status, text } = await visit(world, '/?from=USD&to=KES&recipient_gets=13,000')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('Least to send for 13,000 KES $104.00 with Provider retail-a')
    const rows = rowsOf(text)
    expect(rows[0]![1]).toBe('You send, USD')
    expect(rows.slice(1, 3).map((row) => row[1])).toEqual(['104.00', '110.00 $6.00 more'])
    expect(text).toContain('/api/v1/convert?from=USD&amp;to=KES&amp;recipient_gets=13000')
    expect(text).toContain('href="/?from=KES&amp;to=USD&amp;amount=13000&amp;period=90d"')
    expect(text).toMatch(/id="recipient_gets"[^>]* value="13,000"/)
    expect(text).not.toMatch(/id="amount"[^>]* value="./)
  })

  test.each([
    ['amount=100&recipient_gets=&shown_amount=100', 'amount', '100'],
    ['amount=100&recipient_gets=5000&shown_amount=100', 'recipient_gets', '5000'],
    ['amount=200&recipient_gets=5000&shown_recipient_gets=5000', 'amount', '200'],
    ['amount=&recipient_gets=5000&shown_amount=100', 'recipient_gets', '5000'],
    ['amount=&recipient_gets=', 'amount', '200'],
  ])(
    'returns 200 to a form with %s, for the amount that was changed',
    async (query, name, value) => {
      world.quote({ providerId: 'retail-a', rate: 130, fee: 0, at: EARLIER })
      const { status, text } = await visit(world, `/?from=USD&to=KES&${query}`)
      expect(status).toBe(200)
      expect(text).toMatch(new RegExp(`id="${name}"[^>]* value="${value}"`))
      expect(text).toContain(`<input type="hidden" name="shown_${name}" value="${value}"`)
      expect(text.match(/name="shown_/g)).toHaveLength(1)
    },
  )

  test('links to the provider’s page, and to its own site if known', async () => {
    const websiteUrl = 'https://b.example/'
    world.memory.publish({ catalogue: catalogueWith({ websiteUrl }) }, world.clock.now())
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    world.quote({ providerId: 'retail-b', rate: 129, at: EARLIER })
    const { text } = await visit(world, QUERY)
    expect(text).toContain('<a href="https://b.example/" rel="noopener nofollow">Website<span')
    expect(text).toContain('<a href="/providers/retail-b">Provider retail-b</a>')
    expect(text.match(/noopener nofollow/g)).toHaveLength(1)
  })

  test("shows a provider's name with a script as text", async () => {
    const hostile = { name: HOSTILE_NAME, transferTime: HOSTILE_NAME }
    world.memory.publish({ catalogue: catalogueWith(hostile) }, world.clock.now())
    world.quote({ providerId: 'retail-b', rate: 130, fee: 0, at: EARLIER })
    const { status, text } = await visit(world, QUERY)
    expect(status).toBe(200)
    expect(textOf(text)).toContain(`with ${HOSTILE_NAME}, which charges no fee`)
    expect(text.toLowerCase()).not.toContain('<script>')
    expect(text.match(/<script/g)?.length).toBe(text.match(/<script type="module" src=/g)?.length)
  })

  test('starts with the busiest corridor, and an amount worth two hundred dollars', async () => {
    world.reference({ NGN: 1537, KES: 130 }, { at: EARLIER })
    world.quote({ providerId: 'retail-a', rate: 0.08, from: 'NGN', at: EARLIER })
    world.quote({ providerId: 'retail-b', rate: 0.08, from: 'NGN', at: EARLIER })
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const { text } = await visit(world, '/')
    expect(text).toContain('value="Nigeria · NGN"')
    expect(text).toContain('value="Kenya · KES"')
    expect(text).toContain('value="300000"')
    expect((await visit(world, '/?from=USD')).text).toContain(
      '<title>USD to KES · Corridor</title>',
    )
  })

  test('accepts countries and currencies in any notation, and shows how they were read', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    for (const query of [
      '/?from=US&to=KES',
      '/?from=usd&to=Kenya',
      '/?from=%F0%9F%87%BA%F0%9F%87%B8&to=kes',
    ]) {
      const { status, text } = await visit(world, query)
      expect([query, status]).toEqual([query, 200])
      expect(text).toContain('<title>USD to KES · Corridor</title>')
    }
    const { text } = await visit(world, '/?from=USD&to=kenya')
    expect(text).toContain('<a href="/send/united-states-to-kenya?amount=200">By country:')
    expect((await visit(world, '/?from=EUR&to=KES')).text).not.toContain('By country:')
    expect(text).toContain('value="USD · The USD"')
    expect(text).toContain('value="Kenya · KES"')
    expect(text).toContain('<img class="field-icon" src="/flags/ke.svg" alt')
    expect(text).toContain('<option value="Kenya · KES" label="🇰🇪 The KES">')
  })

  test('returns 302 to the page of two countries, with the amount, the ways and the days requested', async () => {
    const asked =
      '/?from=usa&to=Kenya · KES&amount=€1,000&recipient_gets=&pay_in=cash&pay_in=debit_card&period=1y'
    const { status, headers } = await visit(world, asked)
    expect(status).toBe(302)
    expect(headers.get('location')).toBe(
      '/send/united-states-to-kenya?amount=%E2%82%AC1%2C000&pay_in=cash&pay_in=debit_card',
    )
    const below = new World({ publicUrl: 'https://rates.example/fx' })
    const moved = await visit(below, '/?from=Zimbabwe · USD&to=NG')
    expect(moved.headers.get('location')).toBe('/fx/send/zimbabwe-to-nigeria')
    expect(moved.headers.get('x-frame-options')).toBe('DENY')
  })

  test('has the API calls for the page, with a placeholder for the key', async () => {
    const of = new World({ publicUrl: 'https://rates.example' })
    of.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const { text } = await visit(of, '/?from=usd&to=kes&amount=1,250.50&period=30d')
    expect(textOf(text)).toContain(
      `curl -s -H "X-API-Key: $CORRIDOR_KEY" ` +
        `'https://rates.example/api/v1/convert?from=USD&to=KES&amount=1250.5'`,
    )
    expect(textOf(text)).toContain(`/api/v1/time-series?from=USD&to=KES&interval=P1D&period=30d'`)
    expect(textOf(text)).toContain('with export CORRIDOR_KEY=your-key; then these calls work as')
    expect(text).not.toContain('crd_')
  })

  test('links to a key, if anyone can get one', async () => {
    const of = new World({ portal: { people: () => [] } })
    for (const one of [of, world]) one.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const offer = 'No key yet? <a href="/sign-up">Get one free</a>: 50 calls a day.'
    expect((await visit(of, QUERY)).text).toContain(offer)
    expect((await visit(world, QUERY)).text).not.toContain('/sign-up')
  })

  test('has API calls that work', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    for (const period of ['7d', '30d', '90d', '1y']) {
      const { text } = await visit(world, `${QUERY}&period=${period}`)
      const calls = [...textOf(text).matchAll(/'http:\/\/localhost\/api\/v1(\/[^']+)'/g)]
      expect(calls).toHaveLength(2)
      for (const [, path] of calls) {
        const { status, text } = await world.get(path!, world.key())
        expect([path, status, text.includes('"error"')]).toEqual([path, 200, false])
        expect(text).not.toMatch(/start has moved|is in the future/)
      }
    }
  })

  test('says that a corridor has no quotes, and links to quoted ones', async () => {
    world.reference({ KES: 130 }, { at: EARLIER })
    const { status, text } = await visit(world, '/?from=USD&to=KES')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No prices from USD to KES yet')
    expect(textOf(text)).not.toContain('There are prices from')
    world.quote({ providerId: 'retail-a', from: 'KES', to: 'USD', rate: 0.0077, at: EARLIER })
    expect((await visit(world, '/?from=USD&to=KES')).text).toContain(
      '<a href="/?from=KES&amp;to=USD">There are prices from KES to USD.</a>',
    )
    expect(text).toContain('href="/corridors"')
    expect(textOf(text)).toContain('130.00 KES for 1 USD')
  })

  test('says that the catalogue is empty, and what to do', async () => {
    world.memory.publish({ catalogue: { currencies: [], providers: [] } }, world.clock.now())
    const { status, text } = await visit(world, '/')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('corridor catalogue apply')
  })

  test('says that there is no price, and reports no error in empty fields', async () => {
    const { status, text } = await visit(world, '/')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No prices yet')
    expect(text).not.toContain('field-error')
  })

  test.each([
    ['from=XXX&to=KES&amount=1', '“XXX” is not a country or currency that we know', 'from'],
    ['from=USD&to=SLL&amount=1', '“SLL” is not a country or currency that we know', 'to'],
    ['from=USD&to=USD&amount=1', 'Choose two different currencies', 'to'],
    ['from=USD&to=KES&amount=0', 'The amount must be more than zero', 'amount'],
    ['from=USD&to=KES&amount=1e400', '“1e400” is not an amount we can read', 'amount'],
    ['from=USD&to=KES&amount=-5', 'The amount must be more than zero', 'amount'],
    ['from=USD&to=KES&amount=1,5000', 'Write it like 1250.50', 'amount'],
    ['from=USD&to=KES&amount=%C2%A31', '“£” is not USD', 'amount'],
    ['from=USD&to=KES&recipient_gets=$5', '“$” is not KES', 'recipient_gets'],
    ['from=USD&to=KES&recipient_gets=0', 'more than zero', 'recipient_gets'],
    ['from=USD&to=KES&amount=1&recipient_gets=1', 'Fill in one of the two', 'recipient_gets'],
    ['from=USD&to=KES&amount=1000000000000001', 'The amount is too large', 'amount'],
    [
      'from=%3Cscript%3E&to=KES&amount=1',
      '“<script>” is not a country or currency that we know',
      'from',
    ],
    ['from=%E0%A4%A&to=KES&amount=1', 'is not a country or currency that we know', 'from'],
  ])('returns 400 to %s, with the error next to its field', async (query, fault, field) => {
    const { status, text } = await visit(world, `/?${query}`)
    expect(status).toBe(400)
    const [, error] = new RegExp(`id="${field}-error">(.*?)</p>`).exec(text) ?? []
    expect(textOf(error ?? '')).toContain(fault)
    expect(text).toMatch(new RegExp(`<(input|select)[^>]* aria-describedby="${field}-error"`))
    expect(text).not.toContain('<script>')
  })

  test.each([
    '1000000000000000',
    '0.0000001',
    '1,000',
    '1 000',
    '12,345,678.9',
    ' 5 ',
    '12,50',
    '$200',
    '200 USD',
  ])('returns 200 to the amount %p', async (amount) => {
    world.quote({ providerId: 'retail-a', rate: 1e12, at: EARLIER })
    const path = `/?from=USD&to=KES&amount=${encodeURIComponent(amount)}`
    const { status, text } = await visit(world, path)
    expect(status).toBe(200)
    expect(textOf(text)).not.toMatch(/NaN|Infinity|undefined|\de\+/)
  })

  test('keeps an amount in its links, however small', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const { text } = await visit(world, '/?from=USD&to=KES&amount=0.0000001')
    const href = /href="([^"]*period=1y)#chart"/.exec(text)![1]!.replaceAll('&amp;', '&')
    expect(href).toContain('amount=0.0000001&')
    expect((await visit(world, href)).status).toBe(200)
  })

  test('says how it read an amount that may be read in two ways', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, fee: 0, at: EARLIER })
    const { status, text } = await visit(world, '/?from=USD&to=KES&amount=1.500')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('Read as 1.5. For 1,500, write 1500.')
    expect(text).toMatch(/<input[^>]* aria-describedby="amount-hint"/)
    expect(textOf(text)).toContain("Most they'd get for $1.50 195.00 KES")
  })

  test('keeps the amount and the period for the reverse direction', async () => {
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const { text } = await visit(world, '/?from=USD&to=KES&amount=1,250.5&period=7d')
    expect(text).toContain(
      '<a href="/?from=KES&amp;to=USD&amp;amount=1250.5&amp;period=7d">' +
        'The other way: KES to USD</a>',
    )
  })

  test('returns 200 to HEAD without a body, 405 to POST', async () => {
    const ask = (method: string) =>
      world.app.handle(new Request(`http://localhost${QUERY}`, { method }))
    const head = await ask('HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await ask('POST')).status).toBe(405)
  })

  test('returns 500 as a page and logs a line when the service fails', async () => {
    const broken = currency('KES', { minorUnits: -7 })
    const currencies = CURRENCIES.map((known) => (known.code === 'KES' ? broken : known))
    world.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, world.clock.now())
    world.quote({ providerId: 'retail-a', rate: 130, at: EARLIER })
    const { status, text, headers } = await visit(world, QUERY)
    expect(status).toBe(500)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).not.toContain('RangeError')
    expect(world.logged.some(({ level }) => level === 'error')).toBe(true)
  })
})

const SAID = {
  id: 1,
  providerId: 'retail-a',
  offer: 'retail-a',
  rate: 129.5,
  rateType: 'retail',
  untilMs: Number.POSITIVE_INFINITY,
} as const

describe('the chart of GET /', () => {
  const buckets = [
    { startMs: Date.parse('2026-03-03T00:00:00Z'), best: 129.5, candle: null, samples: 3 },
    { startMs: Date.parse('2026-03-04T00:00:00Z'), best: null, candle: null, samples: 1 },
  ]
  const past = pastWith({
    buckets: async ({ fromMs, beforeMs }) =>
      buckets.filter(({ startMs }) => startMs >= fromMs && startMs < beforeMs),
    worthsBefore: async (_code, momentsMs) =>
      momentsMs.map((atMs, i) => ({ perUsd: 126.9 + i / 10, atMs: atMs - 1 })),
    lastIn: async (_corridor, stretches) =>
      stretches.flatMap(({ beforeMs }, stretch) =>
        beforeMs === Date.parse('2026-03-04T00:00:00Z')
          ? [{ ...SAID, stretch, atMs: beforeMs - 1 }]
          : [],
      ),
  })

  test("shows the mid's move in a day, and not by the hour", async () => {
    const startMs = Date.parse('2026-03-04T00:00:00Z')
    const timesMs = Float64Array.from([0, 1, 2, 3], (i) => startMs + i)
    const worths = Float64Array.of(128, 131.5, 127.5, 127)
    const moving = pastWith({
      worthsBefore: async (_code, momentsMs) =>
        momentsMs.map((atMs) => ({ perUsd: 127, atMs: atMs - 1 })),
      worthPath: async () => ({ timesMs, worths }),
    })
    const of = new World({ past: moving })
    const candles = ({ text }: { text: string }) => text.match(/data-candle="[^"]*"/g) ?? []
    const page = await visit(of, `${QUERY}&period=30d`)
    expect(candles(page)).toContain('data-candle="128 131.5 127 127"')
    expect(candles(await visit(of, `${QUERY}&period=7d`))).toEqual([])
  })

  test('has the same values as a drawing, a table and a file', async () => {
    const of = new World({ past })
    const { text } = await visit(of, `${QUERY}&period=30d`)
    expect(text).toContain('class="spark-mid"')
    expect(text).toContain('class="spark-best"')
    const [, table] = /<table class="table" id="series">(.*?)<\/table>/s.exec(text) ?? []
    const rows = rowsOf(table!).slice(1)
    expect(rows).toHaveLength(31)
    expect(rows[0]?.[0]).toBe('2026-03-05')
    expect(rows[1]).toEqual(['2026-03-04', '129.90', '129.50', '1'])
    expect(rows[2]).toEqual(['2026-03-03', '129.80', '129.50', '3'])
    const href = /href="(\/board\/series\.csv[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&')
    const lines = (await visit(of, href)).text.trimEnd().split('\r\n')
    expect(lines).toHaveLength(32)
    expect(lines.at(-2)).toBe('2026-03-04T00:00:00.000Z,129.9,,1,2026-03-04T23:59:59.999Z,129.5,')
    expect(lines.at(-3)).toBe(
      '2026-03-03T00:00:00.000Z,129.8,129.5,3,2026-03-03T23:59:59.999Z,129.5,',
    )
  })

  test.each([
    ['30d', '2026-03-02', '2026-03-03'],
    ['7d', '2026-03-02 23:00', '2026-03-03 00:00'],
  ])('marks over %s a mid of more than a day ago as carried forward', async (...said) => {
    const [period, lastOld, firstNew] = said
    const days = [Date.parse('2026-03-01T00:00:00Z'), Date.parse('2026-03-03T00:00:00Z')]
    const worthsBefore: typeof past.store.worthsBefore = async (_code, momentsMs) =>
      momentsMs.map((ms) => ({ perUsd: 100, atMs: days.findLast((day) => day < ms) ?? days[0]! }))
    const of = new World({ past: pastWith({ ...past.store, worthsBefore }) })
    const { text } = await visit(of, `${QUERY}&period=${period}`)
    const rows = new Map(rowsOf(text).map(([at, mid]) => [at, mid]))
    expect([rows.get(lastOld), rows.get(firstNew)]).toEqual(['of 1 Mar 2026 100.00', '100.00'])
    expect(text).toContain('class="spark-mid spark-carried"')
    expect(textOf(text)).toContain('mid, dashed when it is more than a day old')
    const fresh = await visit(
      new World({ past: pastWith(past.store) }),
      `${QUERY}&period=${period}`,
    )
    expect(fresh.text).not.toContain('spark-carried')
    expect(textOf(fresh.text)).not.toContain('dashed')
  })

  test('names the start and the end of the drawing', async () => {
    const { text } = await visit(new World({ past }), `${QUERY}&period=30d`)
    const [, ends] = /<p class="chart-ends[^>]*>(.*?)<\/p>/.exec(text)!
    expect(ends!.split('</span>').map(textOf)).toEqual([
      '3 Feb 2026',
      'from 127.00 to 129.90',
      '5 Mar 2026',
      '',
    ])
    expect(text).toContain(
      'The best rate was 129.50. It is known for 3 days, each marked by a dot where it stands alone; ' +
        'for the other 28 no price is known, and no line is drawn.',
    )
    expect(text).toMatch(/key-samples" data-live="true" hidden/)
  })

  test.each([
    ['7d', 'Hour (UTC)', 168],
    ['30d', 'Day (UTC)', 31],
    ['90d', 'Day (UTC)', 91],
    ['1y', 'Day (UTC)', 366],
    ['nonsense', 'Day (UTC)', 91],
  ])('returns 200 over %s', async (period, head, count) => {
    const { text } = await visit(new World({ past }), `${QUERY}&period=${period}`)
    const [, table] = /<table class="table" id="series">(.*?)<\/table>/s.exec(text) ?? []
    const rows = rowsOf(table!)
    expect([rows[0]?.[0], rows.length - 1]).toEqual([head, count])
  })

  test('returns 200 with the whole board while the database is unreachable, and says so', async () => {
    const away = new ServiceError('database_unavailable', 'the database is away')
    const of = new World({ past: pastWith({ buckets: () => Promise.reject(away) }) })
    of.quote({ providerId: 'retail-a', rate: 130, fee: 0, at: EARLIER })
    const { status, text } = await visit(of, QUERY)
    expect(status).toBe(200)
    expect(textOf(text)).toContain('The chart is not available at the moment')
    expect(textOf(text)).toContain('not affected; try the chart again in a moment')
    expect(textOf(text)).toContain('13,000.00 KES with Provider retail-a')
    const file = await visit(of, '/board/series.csv?from=USD&to=KES')
    expect([file.status, file.headers.get('retry-after')]).toEqual([503, '30'])
  })

  test('returns 200 if the database does not respond at all', async () => {
    const of = new World({ past: pastWith({ buckets: () => new Promise(() => {}) }) })
    const { status, text } = await visit(of, QUERY)
    expect(status).toBe(200)
    expect(textOf(text)).toContain('The chart is not available at the moment')
  })
})

test.each(['database_unavailable', 'overloaded'] as const)(
  'the page of an earlier time returns 503 to %s, and does not blame the time',
  async (code) => {
    world.known = { at: () => Promise.reject(new ServiceError(code, 'not at the moment')) }
    const { status, text, headers } = await visit(world, `${QUERY}&known_at=2026-03-05T12:00:00Z`)
    expect([status, headers.get('retry-after')]).toEqual([503, '30'])
    expect(textOf(text)).not.toContain('The time in the address')
  },
)

describe('GET /board/series.csv', () => {
  test('returns 200 as a file to save, without a key', async () => {
    const { status, headers } = await visit(world, '/board/series.csv?from=usd&to=KES&period=7d')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="USD-KES-7d.csv"')
  })

  test.each(['from=XXX&to=KES', 'to=KES', 'from=USD&to=USD'])(
    'returns 400 to %s',
    async (query) => {
      const { status, body } = await visit(world, `/board/series.csv?${query}`)
      expect(status).toBe(400)
      expect(body.error).toBeString()
    },
  )
})

describe('the limit of the public pages', () => {
  const PATHS = [QUERY, '/corridors', '/board/series.csv?from=USD&to=KES']

  test('returns 429 beyond it, with the time to come back, and 200 then', async () => {
    const of = new World({ portal: { requestsPerMinute: 3 } })
    for (const path of PATHS) expect((await visit(of, path)).status).toBe(200)
    for (const path of PATHS) {
      const { status, headers, text } = await visit(of, path)
      expect([path, status, headers.get('retry-after')]).toEqual([path, 429, '20'])
      expect(textOf(text)).toMatch(/come back in 20 s/i)
    }
    of.clock.advance(20_000)
    expect((await visit(of, QUERY)).status).toBe(200)
    expect((await visit(of, QUERY)).status).toBe(429)
  })

  test('does not affect one address by another', async () => {
    const portal = {
      requestsPerMinute: 1,
      addressOf: ({ headers }: Request) => headers.get('x-test-address')!,
    }
    const of = new World({ portal })
    const from = async (address: string) =>
      (await visit(of, QUERY, { 'x-test-address': address })).status
    expect([await from('a'), await from('a'), await from('b')]).toEqual([200, 429, 200])
  })

  test('does not apply to the files of a page and the API, whatever was requested before', async () => {
    const of = new World({ portal: { requestsPerMinute: 1 } })
    const { text } = await visit(of, QUERY)
    for (let i = 0; i < 3; i++) {
      const style = /href="(\/assets\/site-[^"]+)"/.exec(text)![1]!
      expect((await visit(of, style)).status).toBe(200)
      expect((await of.get('/status')).status).toBe(200)
    }
  })
})
