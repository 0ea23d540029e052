import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Currency } from '~/domain/currency.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs, TIERS, type Tier } from '~/domain/freshness.ts'
import type { Provider, RateType } from '~/domain/provider.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { BASE_MS, backs, changesOf, clockSteps, spots } from './memory/histories.ts'
import { CURRENCIES, currency, PROVIDERS, provider } from './support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from './support/postgres.ts'
import { fewRates, rates } from './support/quotes.ts'
import { TEST_MS_MAX } from './support/until.ts'
import { World } from './support/world.ts'

const FIATS = ['GBP', 'KES', 'NGN', 'UGX'] as const
const perUsd = fc.record({ GBP: rates, KES: rates, NGN: rates, UGX: rates })
const fiats = fc.constantFrom('USD', ...FIATS)
const quotes = fc.uniqueArray(
  fc.record({ providerId: fc.constantFrom(...PROVIDERS.map(({ id }) => id)), rate: rates }),
  { selector: ({ providerId }) => providerId, maxLength: PROVIDERS.length },
)

/** Responses have 12 significant digits, so a law holds to about that. */
function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual / expected - 1)).toBeLessThan(1e-10)
}

describe('the mid', () => {
  test('there and back gives one, whatever the pair', async () => {
    await fc.assert(
      fc.asyncProperty(perUsd, fiats, fiats, async (snapshot, from, to) => {
        const world = new World()
        const key = world.key()
        world.reference(snapshot)
        const there = await world.get(`/fetch-one?from=${from}&to=${to}`, key)
        const back = await world.get(`/fetch-one?from=${to}&to=${from}`, key)
        expectNear(there.body.mid * back.body.mid, 1)
        if (from === to) expect(there.body.mid).toBe(1)
      }),
      { numRuns: 60 },
    )
  })

  test('is the same through any third currency', async () => {
    const all = ['USD', ...FIATS]
    await fc.assert(
      fc.asyncProperty(perUsd, async (snapshot) => {
        const world = new World()
        world.reference(snapshot)
        const codes = all.join()
        const { body } = await world.get(`/fetch-matrix?from=${codes}&to=${codes}`, world.key())
        const mid = (from: string, to: string): number => body.results[from][to].mid
        for (const a of all)
          for (const b of all) for (const c of all) expectNear(mid(a, b) * mid(b, c), mid(a, c))
      }),
      { numRuns: 40 },
    )
  })

  test('is the same on every endpoint, with the same source and time', async () => {
    await fc.assert(
      fc.asyncProperty(perUsd, fc.constantFrom(...FIATS), async (snapshot, to) => {
        const world = new World()
        const key = world.key()
        world.reference(snapshot)
        const pair = `from=USD&to=${to}`
        const one = (await world.get(`/fetch-one?${pair}`, key)).body
        const shown = [one.mid, one.source, one.fetched_at]
        const of = (mid: { rate: number; source: string; fetched_at: string }) => [
          mid.rate,
          mid.source,
          mid.fetched_at,
        ]
        const corridor = (await world.get(`/rates?${pair}`, key)).body
        expect([corridor.mid_rate, corridor.mid_source, corridor.mid_fetched_at]).toEqual(shown)
        expect(of((await world.get(`/convert?${pair}&amount=1`, key)).body.mid)).toEqual(shown)
        const multi = (await world.get(`/fetch-multi?${pair}`, key)).body
        expect([multi.results[to].mid, multi.source, multi.fetched_at]).toEqual(shown)
        const many = (await world.get(`/fetch-many-to-one?${pair}`, key)).body
        expect([many.results.USD.mid, many.source, many.fetched_at]).toEqual(shown)
      }),
      { numRuns: 40 },
    )
  })
})

describe('the quotes of a corridor', () => {
  test('the best of each kind has spread 0, no spread is below 0, and lists are grouped by kind', async () => {
    const order = ['retail', 'p2p', 'interbank', 'official', 'parallel']
    await fc.assert(
      fc.asyncProperty(quotes, async (quoted) => {
        const world = new World()
        world.quote(...quoted)
        const { body } = await world.get('/rates?from=USD&to=KES', world.key())
        expect(body.count).toBe(quoted.length)
        const rows: { rate: number; rate_type: string; spread_bps: number }[] = body.providers
        for (const [kind, own] of Map.groupBy(rows, ({ rate_type }) => rate_type)) {
          expect(order).toContain(kind)
          expect(own[0]?.spread_bps).toBe(0)
          expect(own[0]?.rate).toBe(Math.max(...own.map(({ rate }) => rate)))
          for (const { spread_bps } of own) expect(spread_bps).toBeGreaterThanOrEqual(0)
        }
        const kinds = rows.map(({ rate_type }) => order.indexOf(rate_type))
        expect(kinds).toEqual([...kinds].sort((a, b) => a - b))
      }),
      { numRuns: 60 },
    )
  })

  test('every endpoint names one best, and it is never official or parallel', async () => {
    await fc.assert(
      fc.asyncProperty(quotes, async (quoted) => {
        const world = new World()
        const key = world.key()
        world.quote(...quoted)
        world.reference({ KES: 130 })
        const one = (await world.get('/fetch-one?from=USD&to=KES', key)).body.provider_best
        const [corridor] = (await world.get('/corridors', key)).body.corridors
        const conversion = (await world.get('/convert?from=USD&to=KES&amount=1', key)).body
        expect(corridor?.best_rate ?? null).toBe(one?.rate ?? null)
        expect(conversion.best?.provider_id).toBe(one?.provider_id)
        if (conversion.best)
          expect(['retail', 'p2p', 'interbank']).toContain(conversion.best.rate_type)
      }),
      { numRuns: 60 },
    )
  })

  test('a conversion is linear in the amount before fees', async () => {
    const amounts = fc.integer({ min: 1, max: 1_000_000 })
    await fc.assert(
      fc.asyncProperty(quotes, amounts, amounts, async (quoted, a, b) => {
        const world = new World()
        const key = world.key()
        world.reference({ KES: 130 })
        world.quote(...quoted.map((own) => ({ ...own, fee: 1, feeCurrency: 'USD' })))
        const converted = async (amount: number) => {
          const { body } = await world.get(`/convert?from=USD&to=KES&amount=${amount}`, key)
          const rows: { provider_id: string; converted: number }[] = body.providers
          const own = rows.map((row) => [row.provider_id, row.converted] as const)
          return new Map([...own, ['mid', body.mid.converted as number] as const])
        }
        const [first, second, both] = [
          await converted(a),
          await converted(b),
          await converted(a + b),
        ]
        const tenfold = await converted(a * 10)
        for (const [id, value] of first) {
          expectNear(value + second.get(id)!, both.get(id)!)
          expectNear(value * 10, tenfold.get(id)!)
        }
      }),
      { numRuns: 40 },
    )
  })
})

const KINDS: readonly RateType[] = ['retail', 'retail', 'p2p', 'official']
const CORRIDORS = [
  ['USD', 'KES'],
  ['GBP', 'NGN'],
] as const

describe('hourly', () => {
  let database: FreshDatabase
  let runs = 0

  beforeAll(async () => {
    database = await freshDatabase()
    await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: [] })
  }, TEST_MS_MAX)
  afterAll(() => database.close())

  type Catalogue = { currencies: readonly Currency[]; providers: readonly Provider[] }

  /** A service over the database that knows only `catalogue` and starts with the stored data. */
  async function worldAt(nowMs: number, catalogue: Catalogue): Promise<World> {
    const world = new World({
      at: new Date(nowMs).toISOString(),
      store: createObservationStore(database),
    })
    world.memory.publish(
      {
        catalogue,
        quotes: await createQuoteStore(database).live(nowMs),
        references: await createReferenceStore(database).live(nowMs),
      },
      nowMs,
    )
    return world
  }

  /** The key of an account that is in the database too, which stores who recorded what. */
  async function recorderIn(world: World): Promise<string> {
    const { id, key } = world.account('enterprise', 'treasury')
    await database.sql`insert into accounts (id, email, plan, role)
      values (${id}, ${`${id}@example.com`}, 'enterprise', 'treasury')`
    return key
  }

  /** Content of `/rates` for every corridor, naively: all rules in SQL over all of history. */
  const plainRates = (ids: string[], cutoffMs: number) =>
    database.sql`
      with latest as (
        select distinct on (c.id, p.provider_id) c.source, c.target, p.provider_id, o.*
        from observations o
        join provider_corridors p on p.id = o.provider_corridor_id
        join corridors c on c.id = o.corridor_id
        where o.effective_from <= ${new Date(cutoffMs).toISOString()}::text::timestamptz
          and p.provider_id = any(${ids})
        order by c.id, p.provider_id, o.effective_from desc, o.id desc
      ), best as (
        select corridor_id, rate_type, max(rate) as rate from latest group by corridor_id, rate_type
      )
      select l.source, l.target, l.provider_id, l.rate::float8 as rate, l.fee::float8 as fee, l.fee_currency,
        l.rate_type::text as rate_type,
        round((best.rate - l.rate) / best.rate * 10000, 4)::float8 as spread_bps,
        (extract(epoch from l.effective_from) * 1000)::float8 as at_ms
      from latest l join best using (corridor_id, rate_type)
      order by array_position(array['retail', 'p2p', 'interbank', 'official'],
          l.rate_type::text), l.rate desc, l.effective_from desc, l.provider_id collate "C"`

  type Row = Record<string, unknown> & { last_updated: string }

  async function shownRates(world: World, pair: readonly [string, string], tier: Tier) {
    const key = world.key(tier === 'hourly' ? 'free' : 'enterprise')
    const { body } = await world.get(`/rates?from=${pair[0]}&to=${pair[1]}`, key)
    const nowMs = world.clock.now()
    expect(body.data_freshness).toBe(tier)
    const asOf = tier === 'hourly' ? new Date(hourStartMs(nowMs)).toISOString() : undefined
    expect(body.as_of).toBe(asOf)
    return (body.providers as Row[]).map((row) => ({
      source: pair[0],
      target: pair[1],
      provider_id: row.provider_id,
      rate: row.rate,
      fee: row.fee,
      fee_currency: row.fee_currency,
      rate_type: row.rate_type,
      spread_bps: row.spread_bps,
      at_ms: Date.parse(row.last_updated),
    }))
  }

  const courses = fc.array(
    fc.record({
      stepMs: clockSteps,
      isPruned: fc.boolean(),
      batch: fc.array(
        fc.record({
          provider: fc.nat({ max: KINDS.length - 1 }),
          corridor: fc.constantFrom(...CORRIDORS),
          rate: fewRates,
          fee: fc.option(fc.integer({ min: 0, max: 5 })),
          backMs: backs,
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  )

  test(
    'is the realtime view of what was effective at the top of the hour, as SQL has it',
    async () => {
      await fc.assert(
        fc.asyncProperty(spots(1), courses, async (startMs, course) => {
          const run = ++runs
          const providers = KINDS.map((rateType, i) => provider(`run-${run}-${i}`, { rateType }))
          const ids = providers.map(({ id }) => id)
          const catalogue = { currencies: CURRENCIES, providers }
          await createCatalogueStore(database).apply({ currencies: [], providers })
          const world = await worldAt(startMs, catalogue)
          const treasury = await recorderIn(world)

          const expectLaw = async (...services: World[]) => {
            const nowMs = world.clock.now()
            for (const tier of TIERS) {
              const plain = await plainRates(ids, tier === 'hourly' ? hourStartMs(nowMs) : nowMs)
              for (const service of services) {
                service.clock.advance(nowMs - service.clock.now())
                for (const [from, to] of CORRIDORS)
                  expect(await shownRates(service, [from, to], tier)).toEqual(
                    plain.filter(({ source, target }) => source === from && target === to) as never,
                  )
              }
            }
          }

          for (const { stepMs, isPruned, batch } of course) {
            world.clock.advance(stepMs)
            const rows = batch.map(({ provider: at, corridor: [from, to], rate, fee, backMs }) => ({
              provider_id: ids[at],
              from,
              to,
              rate,
              fee,
              effective_from: new Date(world.clock.now() - backMs).toISOString(),
            }))
            expect((await world.post(rows, treasury)).status).toBe(201)
            if (isPruned) world.memory.prune(world.clock.now())
            await expectLaw(world)
          }
          const loaded = await worldAt(world.clock.now(), catalogue)
          await expectLaw(loaded)
          const nextHourMs = hourStartMs(world.clock.now()) + HOUR_MS
          for (const clockMs of [nextHourMs - 1, nextHourMs, nextHourMs + 1]) {
            world.clock.advance(clockMs - world.clock.now())
            await expectLaw(world, loaded)
          }
          world.clock.advance(HOUR_MS)
          await expectLaw(world, loaded, await worldAt(world.clock.now(), catalogue))
        }),
        { numRuns: 30, endOnFailure: true },
      )
    },
    TEST_MS_MAX,
  )

  /** A currency code that no run has used before: `Q` and three letters. */
  const newCode = () => {
    const letter = (place: number) =>
      String.fromCharCode(65 + (Math.floor(runs / 26 ** place) % 26))
    runs += 1
    return `Q${letter(2)}${letter(1)}${letter(0)}`
  }

  const plainMid = (from: string, to: string, cutoffMs: number) =>
    database.sql`
      with latest as (
        select distinct on (r.currency) r.currency, r.per_usd, r.fetched_at
        from reference_rates r
        where r.fetched_at <= ${new Date(cutoffMs).toISOString()}::text::timestamptz
          and r.currency in (${from}, ${to})
        order by r.currency, r.fetched_at desc, r.id desc
      )
      select (t.per_usd / f.per_usd)::float8 as rate,
        (extract(epoch from least(f.fetched_at, t.fetched_at)) * 1000)::float8 as at_ms
      from latest f, latest t where f.currency = ${from} and t.currency = ${to}`

  test(
    'has the mids that the feed had given by the top of the hour, as SQL has it',
    async () => {
      const rows = fc.array(fc.record({ rate: fewRates, leg: fc.constantFrom(0, 1) }), {
        minLength: 25,
        maxLength: 25,
      })
      await fc.assert(
        fc.asyncProperty(changesOf(spots(1)), rows, async (changes, said) => {
          const legs = [newCode(), newCode()] as const
          const catalogue = { currencies: legs.map((code) => currency(code)), providers: [] }
          const store = createReferenceStore(database)
          const world = await worldAt(BASE_MS, catalogue)
          const last = changes.slice(-8)
          for (const [i, { nowMs, back, isPruned }] of last.entries()) {
            world.clock.advance(nowMs - world.clock.now())
            const { rate, leg } = said[i]!
            const snapshot = {
              source: 'feed',
              fetchedMs: nowMs - back,
              rates: [{ currency: legs[leg]!, perUsd: String(rate) }],
            }
            world.memory.publish({ references: await store.append(snapshot) }, nowMs)
            if (isPruned) world.memory.prune(nowMs)
            const loaded = await worldAt(nowMs, catalogue)
            for (const tier of TIERS) {
              const cutoffMs = tier === 'hourly' ? hourStartMs(nowMs) : nowMs
              const [mid] = await plainMid(legs[0], legs[1], cutoffMs)
              const isRecent = mid && nowMs - mid.at_ms <= 72 * HOUR_MS
              for (const service of [world, loaded]) {
                const key = service.key(tier === 'hourly' ? 'free' : 'enterprise')
                const { body } = await service.get(`/rates?from=${legs[0]}&to=${legs[1]}`, key)
                if (!isRecent) expect(body.mid_rate).toBeUndefined()
                else {
                  expectNear(body.mid_rate, mid.rate)
                  expect(Date.parse(body.mid_fetched_at)).toBe(mid.at_ms)
                }
              }
            }
          }
        }),
        { numRuns: 15, endOnFailure: true },
      )
    },
    TEST_MS_MAX,
  )
})
