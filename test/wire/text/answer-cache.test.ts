import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import type { HotDeps } from '~/http/access.ts'
import { Refusals } from '~/http/reply.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { nothingKnown } from '../../support/known.ts'
import { apply, events, jumps } from '../../support/market.ts'
import { freshRoute } from '../../support/routes.ts'
import { World } from '../../support/world.ts'

const MID_MAX_AGE_MS = 1.5 * HOUR_MS
const QUOTE_MAX_AGE_MS = 2 * HOUR_MS

const QUESTIONS = [
  '/rates?from=USD&to=KES',
  '/rates?from=GBP&to=KES',
  '/rates?from=USDT&to=KES',
  '/rates?from=USD&to=XXX',
  '/convert?from=USD&to=KES&amount=120',
  '/convert?from=USD&to=KES&amount=0.35',
  '/convert?from=GBP&to=NGN&amount=9999999.99',
  '/fetch-one?from=USD&to=KES',
  '/fetch-one?from=USDT&to=KES',
  '/fetch-multi?from=USD&to=KES,NGN,USDT',
  '/fetch-matrix?from=USD,GBP&to=KES,NGN,USD',
  '/fetch-many-to-one?from=USD,GBP&to=KES',
  '/rates/provider?provider=retail-a',
  '/rates/provider?provider=nobody',
  '/corridors',
  '/corridors?max_age=20m',
  '/corridors?by=country',
  '/corridors?pay_out=cash&by=country&max_age=20m',
  '/countries',
  '/costs?source_country=US&target_country=KE&amount=40',
  '/costs?source_country=GB&target_country=KE&amount_usd=40',
  '/rates?from=USD&to=KES&target_country=KE&offers=all',
  '/rates?from=USD&to=USD&source_country=US&target_country=LR',
  '/convert?from=USD&to=KES&pay_out=mobile_money&amount=120',
  '/rates/provider?provider=retail-a&source_country=US',
  '/convert?from=USD&to=KES&amount=120&max_age=59m',
  '/rates?from=KES&to=USD&max_age=1m',
  '/rates?from=USD&to=KES&max_age=59m',
  '/fetch-matrix?from=USD,GBP&to=KES,NGN,USD&max_age=PT1H',
  '/rates/provider?provider=retail-a&max_age=1d',
  '/currencies',
  '/currencies?date=2025-12-25',
  '/fetch-multi?from=USD&to=UGX&to=NGN,KES',
  '/providers',
  '/status',
]

const steps = fc.array(
  fc.record({
    event: events,
    jump: jumps,
    asked: fc.array(
      fc.tuple(fc.constantFrom(...QUESTIONS), fc.constantFrom('free', 'enterprise')),
      {
        minLength: 4,
        maxLength: 12,
      },
    ),
  }),
  { minLength: 3, maxLength: 25 },
)

/** Counts cache hits. */
class CountingCache extends AnswerCache {
  hits = 0

  override find(...question: Parameters<AnswerCache['find']>): string | null {
    const found = super.find(...question)
    if (found !== null) this.hits += 1
    return found
  }
}

const depsOf = (world: World, answers: AnswerCache, quoteMaxAgeMs: number | null = null) => ({
  memory: world.memory,
  clock: world.clock,
  log: world.log,
  metering: { meter: world.meter, limits: { free: 1e6, pro: 1e6, enterprise: 1e6 } },
  ageLimits: { midMaxAgeMs: MID_MAX_AGE_MS, quoteMaxAgeMs, staleAfterMs: HOUR_MS },
  answers,
  ...{ guards: {}, refusals: new Refusals({}), known: nothingKnown },
})

async function replyOf(deps: HotDeps, question: string, key: string) {
  const route = freshRoute(deps, question.split('?')[0]!)
  const url = `http://localhost/api/v1${question}`
  const reply = await route.fetch(new Request(url, { headers: { 'x-api-key': key } }))
  const tier = reply.headers.get('x-data-freshness')
  return { status: reply.status, tier, text: await reply.text() }
}

describe('AnswerCache', () => {
  test('changes no character of any response, whatever was published and however time passed', async () => {
    let hits = 0
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = new World()
        const kept = new CountingCache()
        const deps = depsOf(world, kept, QUOTE_MAX_AGE_MS)
        const keys = { free: world.key('free'), enterprise: world.key('enterprise') }
        for (const { event, jump, asked } of all) {
          apply(world, event)
          for (const [question, plan] of asked) {
            const reply = await replyOf({ ...deps, answers: kept }, question, keys[plan])
            const plain = { ...deps, answers: new AnswerCache() }
            expect(reply).toEqual(await replyOf(plain, question, keys[plan]))
          }
          world.clock.advance(jump)
        }
        hits += kept.hits
      }),
      { numRuns: 150 },
    )
    expect(hits).toBeGreaterThan(200)
  }, 120_000)

  test('keeps a response after changes in other corridors and drops it after changes in its own', async () => {
    const world = new World()
    const kept = new CountingCache()
    const deps = depsOf(world, kept)
    const key = world.key()
    const asked = async () => {
      await replyOf(deps, '/rates?from=USD&to=KES', key)
      return kept.hits
    }
    expect([await asked(), await asked(), await asked()]).toEqual([0, 0, 1])
    world.quote({ providerId: 'retail-a', rate: 3, to: 'NGN' })
    expect(await asked()).toBe(2)
    world.quote({ providerId: 'retail-a', rate: 3 })
    expect([await asked(), await asked()]).toEqual([2, 3])
    world.reference({ GBP: 0.8 })
    expect([await asked(), await asked()]).toEqual([3, 4])
  })

  test('does not cache a response that is requested once', async () => {
    const world = new World()
    const kept = new CountingCache()
    const ask = (amount: number) =>
      replyOf(depsOf(world, kept), `/convert?from=USD&to=KES&amount=${amount}`, key)
    const key = world.key()
    for (const amount of [1, 2, 3, 1]) await ask(amount)
    expect(kept.hits).toBe(0)
    await ask(1)
    expect(kept.hits).toBe(1)
    await ask(2)
    expect(kept.hits).toBe(1)
  })

  test('has a bound, and drops the response requested longest ago', async () => {
    const world = new World()
    const kept = new CountingCache({ bytesMax: 20_000 })
    const key = world.key()
    const ask = (question: string) => replyOf(depsOf(world, kept), question, key)
    const askTwice = async (question: string) => [await ask(question), await ask(question)]
    for (let amount = 1; amount <= 100; amount++)
      await askTwice(`/convert?from=USD&to=KES&amount=${amount}`)
    await ask('/convert?from=USD&to=KES&amount=100')
    expect(kept.hits).toBe(1)
    await ask('/convert?from=USD&to=KES&amount=1')
    expect(kept.hits).toBe(1)
    const long = `/convert?from=USD&to=KES&amount=1&x=${'y'.repeat(600)}`
    for (let i = 0; i < 2; i++) await askTwice(long)
    expect(kept.hits).toBe(1)
  })

  test('gives anonymous callers no room: whatever they add to /status, it is one entry', async () => {
    const world = new World()
    const kept = new CountingCache({ bytesMax: 20_000 })
    const key = world.key()
    const ask = (question: string) => replyOf(depsOf(world, kept), question, key)
    for (let i = 0; i < 2; i++) await ask('/rates?from=USD&to=KES')
    for (let i = 0; i < 200; i++) await ask(`/status?x=${i >> 1}`)
    expect(kept.hits).toBe(198)
    await ask('/rates?from=USD&to=KES')
    expect(kept.hits).toBe(199)
  })
})
