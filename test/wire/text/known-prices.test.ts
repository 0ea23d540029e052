import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { convertRoutes } from '~/http/convert.ts'
import { Refusals } from '~/http/reply.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { KnownPrices } from '~/wire/text/known-prices.ts'
import { nothingKnown } from '../../support/known.ts'
import { apply, events, jumps } from '../../support/market.ts'
import { offer } from '../../support/offers.ts'
import { unobserved } from '../../support/routes.ts'
import { World } from '../../support/world.ts'

const STEMS = [
  'from=USD&to=KES&amount=',
  'to=KES&from=USD&amount=',
  'from=USD&to=KES&max_age=59m&amount=',
  'from=USD&to=KES&max_age=P1DT1H&amount=',
  'from=USD&to=KES&max_age=soon&amount=',
  'from=gbp&to=%6Bes&amount=',
  'from=USD&to=KES&pay_out=cash&amount=',
  'from=USD&to=KES&pay_out=cash&offers=all&max_age=90m&amount=',
  'from=USD&to=KES&pay_out=gold&amount=',
  'from=USDT&to=KES&note=a+b&amount=',
  'from=USD&to=XXX&amount=',
  'from=USD&to=USD&amount=',
  'from=USD&amount=',
  'amount=5&from=USD&to=KES&amount=',
  '%61mount=5&from=USD&to=KES&amount=',
  'from=USD&to=KES&xamount=1&amount=',
  'from=USD&to=KES&xamount=',
  'from=USD&to=KES&date=2025-12-25&amount=',
  'from=USD&to=KES&amount=1&%64ate=2025-12-25&amount=',
  'amount=5&from=USD&to=KES&number=',
  `from=USD&to=KES&note=${'n'.repeat(300)}&amount=`,
]

const amounts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('1', '2', '3') },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 1e8 }).map((cents) => String(cents / 100)) },
  fc.constantFrom('', '0', '0.0', '-1', '1e3', '5.', '.5', '007', '1 ', '+5', '1%30', '%', 'NaN'),
  fc.constantFrom(
    '1000000000000000',
    '1000000000000001',
    '9'.repeat(41),
    '0.1#',
    '1&to=KES',
    '1&',
    '1&date=1',
  ),
  fc.double({ min: 1e-9, max: 1e15, noNaN: true }).map(String),
)

const steps = fc.array(
  fc.record({
    event: events,
    jump: jumps,
    asked: fc.array(
      fc.tuple(fc.constantFrom(...STEMS), amounts, fc.constantFrom('free', 'enterprise')),
      { minLength: 4, maxLength: 16 },
    ),
  }),
  { minLength: 3, maxLength: 20 },
)

/** Counts cache hits. */
class CountingPrices extends KnownPrices {
  hits = 0

  override find(...question: Parameters<KnownPrices['find']>) {
    const again = super.find(...question)
    if (again) this.hits += 1
    return again
  }
}

async function replyOf(
  world: World,
  known: KnownPrices,
  query: string,
  key: string,
  answers = new AnswerCache(),
) {
  const [route] = convertRoutes(
    {
      memory: world.memory,
      clock: world.clock,
      log: world.log,
      metering: { meter: world.meter, limits: { free: 1e6, pro: 1e6, enterprise: 1e6 } },
      ageLimits: { midMaxAgeMs: 1.5 * HOUR_MS, quoteMaxAgeMs: 2 * HOUR_MS, staleAfterMs: HOUR_MS },
      answers,
      ...{ guards: {}, refusals: new Refusals({}), known: nothingKnown },
    },
    known,
  )
  const request = new Request(`http://localhost/api/v1/convert?${query}`, {
    headers: { 'x-api-key': key },
  })
  const reply = await unobserved(route!).fetch(request)
  return { status: reply.status, text: await reply.text() }
}

describe('KnownPrices', () => {
  test('changes no character of any response or error, whatever was published or requested before', async () => {
    let hits = 0
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = new World()
        const known = new CountingPrices()
        const answers = new AnswerCache()
        const keys = { free: world.key('free'), enterprise: world.key('enterprise') }
        for (const { event, jump, asked } of all) {
          apply(world, event)
          for (const [stem, amount, plan] of asked)
            expect(await replyOf(world, known, stem + amount, keys[plan], answers)).toEqual(
              await replyOf(world, new KnownPrices(), stem + amount, keys[plan]),
            )
          world.clock.advance(jump)
        }
        hits += known.hits
      }),
      { numRuns: 150 },
    )
    expect(hits).toBeGreaterThan(200)
  }, 120_000)

  test('reads a corridor once for all amounts, for each tier separately', async () => {
    const world = new World()
    const known = new CountingPrices()
    const keys = [world.key('enterprise'), world.key('free')]
    const hits: number[] = []
    for (const key of [...keys, ...keys])
      for (const amount of [1, 2, 3]) {
        await replyOf(world, known, `from=USD&to=KES&amount=${amount}`, key)
        hits.push(known.hits)
      }
    expect(hits).toEqual([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('has a bound, and reads the corridor requested longest ago again', async () => {
    const world = new World()
    const known = new CountingPrices()
    const key = world.key('enterprise')
    const ask = (note: number) => replyOf(world, known, `from=USD&to=KES&n=${note}&amount=1`, key)
    for (let note = 0; note < 400; note++) await ask(note)
    await ask(399)
    expect(known.hits).toBe(1)
    await ask(0)
    expect(known.hits).toBe(1)
  })

  test('caches fewer requests of corridors with many offers', async () => {
    const world = new World()
    const services = Array.from({ length: 1000 }, (_, i) => offer({ service: `${i}` }))
    world.quote(...services.map((one) => ({ providerId: 'retail-a', rate: 1, offer: one })))
    const known = new CountingPrices()
    const key = world.key('enterprise')
    const stems = Array.from({ length: 10 }, (_, n) => `from=USD&to=KES&n=${n}`)
    const hits: number[] = []
    for (const stem of [...stems, ...stems.toReversed()]) {
      await replyOf(world, known, `${stem}&amount=1`, key)
      hits.push(known.hits)
    }
    expect(hits.slice(-10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 9])
  }, 120_000)
})
