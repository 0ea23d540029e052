import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { HotDeps } from '~/http/access.ts'
import { Refusals } from '~/http/reply.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { nothingKnown } from '../support/known.ts'
import { apply, events, jumps } from '../support/market.ts'
import { freshRoute } from '../support/routes.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { World } from '../support/world.ts'

const QUESTIONS = [
  '/rates?from=USD&to=KES',
  '/rates?from=KES&to=USD',
  '/convert?from=NGN&to=GBP&amount=5',
  '/corridors?',
  '/convert?from=USD&to=KES&amount=200',
  '/convert?from=USD&to=KES&recipient_gets=20000',
  '/rates/provider?provider=retail-a',
  '/fetch-one?from=USD&to=KES',
  '/fetch-multi?from=USD&to=KES,NGN,USDT',
  '/fetch-many-to-one?from=USD,GBP&to=KES',
  '/fetch-matrix?from=USD,GBP&to=KES,NGN',
]

const AGES = { '1m': MINUTE_MS, '60m': HOUR_MS, PT2H: 2 * HOUR_MS, P1D: 24 * HOUR_MS }

const steps = fc.array(
  fc.record({
    event: events,
    jump: jumps,
    asked: fc.array(
      fc.record({
        question: fc.constantFrom(...QUESTIONS),
        age: fc.constantFrom(...(Object.keys(AGES) as (keyof typeof AGES)[])),
        plan: fc.constantFrom('free', 'enterprise'),
      }),
      { minLength: 3, maxLength: 10 },
    ),
  }),
  { minLength: 3, maxLength: 20 },
)

const depsOf = (world: World, quoteMaxAgeMs: number | null, answers = new AnswerCache()) => ({
  memory: world.memory,
  clock: world.clock,
  log: world.log,
  metering: { meter: world.meter, limits: { free: 1e6, pro: 1e6, enterprise: 1e6 } },
  ageLimits: { midMaxAgeMs: 24 * HOUR_MS, quoteMaxAgeMs, staleAfterMs: HOUR_MS },
  answers,
  ...{ guards: {}, refusals: new Refusals({}), known: nothingKnown },
})

async function replyOf(deps: HotDeps, question: string, key: string) {
  const route = freshRoute(deps, question.split('?')[0]!)
  const url = `http://localhost/api/v1${question}`
  const reply = await route.fetch(new Request(url, { headers: { 'x-api-key': key } }))
  const { note, ...body } = await reply.json()
  return { status: reply.status, body, note }
}

describe('max_age', () => {
  test.each([null, 90 * MINUTE_MS])(
    'leaves out what QUOTE_MAX_AGE of that age would, %p, whatever was requested before',
    async (ownMs) => {
      let [empty, full] = [0, 0]
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const world = new World()
          world.reference({ KES: 130, NGN: 1500, GBP: 0.8 })
          const kept = new AnswerCache()
          const keys = { free: world.key('free'), enterprise: world.key('enterprise') }
          for (const { event, jump, asked } of all) {
            apply(world, event)
            for (const { question, age, plan } of asked) {
              const key = keys[plan]
              const ms = Math.min(AGES[age], ownMs ?? Number.POSITIVE_INFINITY)
              const path = `${question}&max_age=${age}`
              const reply = await replyOf(depsOf(world, ownMs, kept), path, key)
              expect(reply).toEqual(await replyOf(depsOf(world, ownMs), path, key))
              const plain = await replyOf(depsOf(world, ms), question, key)
              expect([reply.status, reply.body]).toEqual([plain.status, plain.body])
              const without = await replyOf(depsOf(world, ownMs, kept), question, key)
              const fresh = await replyOf(depsOf(world, ownMs), question, key)
              expect(without).toEqual(fresh)
              if (reply.body.count === 0) empty += 1
              else full += 1
            }
            world.clock.advance(jump)
          }
        }),
        { numRuns: 60 },
      )
      expect(Math.min(empty, full)).toBeGreaterThan(50)
    },
    TEST_MS_MAX,
  )

  test('is counted to the millisecond, at every tier', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T13:55:30.500Z' })
    const counts = async () => {
      const bodies = ['free', 'enterprise'] as const
      const replies = bodies.map((plan) =>
        world.get('/rates?from=USD&to=KES&max_age=30m', world.key(plan)),
      )
      return (await Promise.all(replies)).map(({ body }) => body.count)
    }
    expect(await counts()).toEqual([1, 1])
    world.clock.advance(1)
    expect(await counts()).toEqual([0, 0])
  })

  test('leaves best, spreads and counts to the prices within the age', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 140, at: '2026-03-01T00:00:00Z' })
    world.quote({ providerId: 'retail-b', rate: 130 }, { providerId: 'p2p-a', rate: 120 })
    const key = world.key()
    const { body } = await world.get('/corridors?max_age=24h', key)
    expect(body.corridors).toMatchObject([
      { provider_count: 2, best_rate: 130, best_is_stale: false, avg_spread_bps: 0 },
    ])
    const rates = (await world.get('/rates?from=USD&to=KES&max_age=24h', key)).body
    const spreads = rates.providers.map(({ spread_bps }: { spread_bps: number }) => spread_bps)
    expect(spreads).toEqual([0, 0])
  })

  test('of the fetch family notes which pairs have only older prices', async () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1500 })
    world.quote({ providerId: 'retail-a', rate: 140, at: '2026-03-01T00:00:00Z' })
    world.quote({ providerId: 'official-a', rate: 129 })
    const key = world.key()
    const one = await world.get('/fetch-one?from=USD&to=KES&max_age=24h', key)
    expect(one.body).toMatchObject({
      provider_best: null,
      note: 'The best price of USD/KES (seen on 2026-03-01) is older than max_age.',
    })
    expect((await world.get('/fetch-one?from=USD&to=NGN&max_age=24h', key)).body.note).toBe(
      undefined,
    )
    world.quote({ providerId: 'p2p-a', to: 'NGN', rate: 1490, at: '2026-03-02T00:00:00Z' })
    const multi = await world.get('/fetch-multi?from=USD&to=KES,NGN,USDT&max_age=24h', key)
    expect(multi.body.note).toBe(
      'There is no mid for pairs with USDT: USDT is a stablecoin, which no reference feed covers. ' +
        'The best prices of USD/KES (seen on 2026-03-01) and USD/NGN (seen on 2026-03-02) ' +
        'are older than max_age.',
    )
  })

  const paths = QUESTIONS.flatMap((question) =>
    ['0', '-1d', '1e9d', 'P', 'P1M', 'soon', '', '1828d', 'P1DT', '7%20d'].map((age) => [
      question,
      age,
    ]),
  )
  test.each(paths)(
    '%s returns 400 for the age "%s", names it and costs nothing',
    async (path, age) => {
      const world = new World()
      const { status, headers, body } = await world.get(`${path}&max_age=${age}`, world.key('free'))
      expect([status, body.code, body.parameter]).toEqual([400, 'invalid_parameter', 'max_age'])
      expect(headers.get('x-ratelimit-remaining')).toBe('50')
    },
  )

  test.each(QUESTIONS)('%s returns 400 for two ages, even if they are equal', async (path) => {
    const world = new World()
    const { status, body } = await world.get(`${path}&max_age=7d&max_age=7d`, world.key())
    expect([status, body.code, body.parameter]).toEqual([400, 'repeated_parameter', 'max_age'])
  })
})
