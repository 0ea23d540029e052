import { beforeEach, describe, expect, test } from 'bun:test'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { textOf, visit } from '../portal-world.ts'

const EARLIER = '2026-03-05T13:00:00Z'
const FRAME = '/embed?source=US&target=KE&amount=200'

let world: World
beforeEach(() => {
  world = new World({ publicUrl: 'https://rates.example/fx' })
  world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
  world.quote(
    { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER },
    { providerId: 'retail-b', rate: 129, at: EARLIER },
    { providerId: 'p2p-a', rate: 128, fee: 0, at: '2026-01-05T13:00:00Z' },
    { providerId: 'official-a', rate: 140, at: EARLIER },
  )
})

describe('GET /embed', () => {
  test('returns 200 with the current prices for which the arriving amount is known', async () => {
    const { status, text } = await visit(world, FRAME)
    expect(status).toBe(200)
    expect(textOf(text)).toContain('United States to KenyaWhat arrives for $200')
    expect(textOf(text)).toContain(
      'Provider retail-a does not say for which countries 25,870.00 KES costs 1.26%',
    )
    expect(text.match(/<tr>/g)).toHaveLength(1)
    expect(text).toContain(
      '<a href="/fx/send/united-states-to-kenya?amount=200" target="_blank" rel="noopener">',
    )
    const toArrive = await visit(world, '/embed?source=usa&target=kenya&recipient_gets=25870')
    expect(textOf(toArrive.text)).toContain(
      'What to send for 25,870 KES Provider retail-a does not say for which countries $200.00',
    )
  })

  test('names the amount of a price that is for another one', async () => {
    world = new World()
    world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    const offerAt = (amount: number) => offer({ amountMin: amount, amountMax: amount })
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER, offer: offerAt(200) },
      { providerId: 'retail-b', rate: 130, fee: 2, at: EARLIER, offer: offerAt(150) },
    )
    const text = textOf((await visit(world, FRAME)).text)
    expect(text).toContain('Provider retail-a 25,870.00 KES costs 1.26% Provider')
    expect(text).toContain('Provider retail-b 25,740.00 KES costs 2.10% for $150')
  })

  test('names that amount without a mid, too, by which its cost is calculated', async () => {
    world = new World()
    const at150 = offer({ amountMin: 150, amountMax: 150 })
    world.quote({ providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER, offer: at150 })
    expect(textOf((await visit(world, FRAME)).text)).toContain(
      'Provider retail-a does not say for which countries 25,870.00 KES priced for $150, which is nearest',
    )
  })

  test('is offered by the page of its countries with the same conditions', async () => {
    const { text } = await visit(
      world,
      '/send/united-states-to-kenya?amount=200&pay_in=cash&pay_in=mobile_money&delivery_max=P1D',
    )
    const [, src] = /iframe src=&quot;https:\/\/rates\.example\/fx([^ ]*)&quot;/.exec(text)!
    expect(textOf(textOf(src!))).toBe(`${FRAME}&pay_in=cash&pay_in=mobile_money&delivery_max=P1D`)
  })

  test('states its conditions, and marks prices that do not state them', async () => {
    const of = (more: Parameters<typeof offer>[0]) =>
      offer({ sourceCountry: 'US', targetCountry: 'KE', ...more })
    world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER, offer: of({}) },
      { providerId: 'retail-b', rate: 129, fee: 1, at: EARLIER, offer: of({ payOut: ['cash'] }) },
    )
    const text = textOf((await visit(world, `${FRAME}&pay_out=cash&delivery_max=P1D`)).text)
    expect(text).toContain('they get cash, arrives within 24 hoursWhat arrives for $200')
    expect(text).toContain('Provider retail-b 25,671.00 KES')
    expect(text).toContain('Provider retail-a does not say how they get it 25,870.00 KES')
    const plain = textOf((await visit(world, FRAME)).text)
    expect(plain).not.toMatch(/does not say|they get/)
  })

  test('shows what tells the offers of one provider apart', async () => {
    const of = (more: Parameters<typeof offer>[0]) =>
      offer({ sourceCountry: 'US', targetCountry: 'KE', channel: 'internet', ...more })
    world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER, offer: of({ payOut: ['cash'] }) },
      { providerId: 'retail-a', rate: 129, fee: 1, at: EARLIER, offer: of({ deliveryMaxMs: 0 }) },
      { providerId: 'retail-b', rate: 128, fee: 1, at: EARLIER, offer: of({ payOut: ['cash'] }) },
    )
    const text = textOf((await visit(world, `${FRAME}&offers=all`)).text)
    expect(text).toContain('Provider retail-a they get cash 25,870.00 KES')
    expect(text).toContain('Provider retail-a arrives at once 25,671.00 KES')
    expect(text).toContain('Provider retail-b 25,472.00 KES')
    expect(textOf((await visit(world, FRAME)).text)).not.toContain('cash')
    const numbered = of({ payOut: ['cash'], service: 'Price 2' })
    world.quote({ providerId: 'retail-a', rate: 127, fee: 1, at: EARLIER, offer: numbered })
    expect(textOf((await visit(world, `${FRAME}&offers=all`)).text)).toContain(
      'Provider retail-a they get cash, one of several prices of this provider 25,273.00 KES',
    )
  })

  test('marks prices that were not observed, once if they all are the same way', async () => {
    const mark = 'worked out from a margin or another source'
    world.quote({ providerId: 'retail-a', rate: 130, fee: 1, at: EARLIER, evidence: 'derived' })
    expect(textOf((await visit(world, FRAME)).text)).toContain(
      `Provider retail-a ${mark} does not say for which countries 25,870`,
    )
    world.quote({ providerId: 'retail-b', rate: 129, fee: 1, at: EARLIER, evidence: 'derived' })
    const text = textOf((await visit(world, FRAME)).text)
    expect(text).toContain(`Each of these prices is ${mark}.`)
    expect(text.split(mark)).toHaveLength(2)
  })

  test('may be framed by any site, and runs and sends nothing', async () => {
    const { headers, text } = await visit(world, FRAME)
    expect(headers.get('content-security-policy')?.split('; ').sort()).toEqual([
      ...["base-uri 'none'", "default-src 'none'", "form-action 'none'", 'frame-ancestors *'],
      ...["img-src 'self'", "style-src 'self'"],
    ])
    expect(headers.get('x-frame-options')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBeNull()
    expect(text).not.toMatch(/<script|<form|<header|<footer/)
    expect(text).toContain('<meta name="robots" content="noindex"/>')
  })

  test.each(['/', '/corridors', '/send', '/send/united-states-to-kenya', '/methodology', '/nope'])(
    'no site may frame %s',
    async (path) => {
      const { headers } = await visit(world, path, { accept: 'text/html' })
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
    },
  )

  test.each([
    ['/embed', 'This frame needs two countries that we know'],
    ['/embed?source=XX&target=KE', 'This frame needs two countries that we know'],
    ['/embed?source=KE&target=KE', 'This frame needs two countries that we know'],
    ['/embed?source=JP&target=KE', 'This frame needs two countries that we know'],
    ['/embed?source=US&target=KE&amount=-1', 'The amount must be more than zero.'],
    ['/embed?source=US&target=KE&amount=%3Cscript%3E', 'is not an amount we can read'],
  ])('returns 400 to %s, with the reason', async (path, fault) => {
    const { status, text, headers } = await visit(world, path)
    expect([status, headers.get('x-frame-options')]).toEqual([400, null])
    expect(textOf(text)).toContain(fault)
    expect(text).not.toContain('<script>')
  })

  test('returns 200 if there is no current price', async () => {
    const { status, text } = await visit(world, '/embed?source=KE&target=NG')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No current prices from Kenya to Nigeria.')
    expect(text).toContain('href="/fx/send/kenya-to-nigeria"')
  })
})
