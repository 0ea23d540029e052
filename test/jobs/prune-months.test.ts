import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemClock } from '~/clock.ts'
import { DAY_MS, HOUR_MS, yearsBeforeMs } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import { keptFromMs, type PruneDeps, pruneObservations } from '~/jobs/prune-observations.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { observation, otherHandle, stockedDatabase, untilWaiting } from '../store/samples.ts'
import { PROVIDERS } from '../support/catalogue.ts'
import { makeOnlyMonths } from '../support/months.ts'
import { offer } from '../support/offers.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const RUNS = 8
const START_MS = Date.UTC(2021, 0)
const END_MS = Date.UTC(2021, 5)
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
const TARGETS = ['KES', 'NGN']

let months: FreshDatabase
let flat: FreshDatabase

beforeAll(async () => {
  months = await stockedDatabase()
  flat = await stockedDatabase()
  await makeOnlyMonths(months, { fromMs: START_MS, beforeMs: END_MS })
}, TEST_MS_MAX)
afterAll(async () => {
  await months.close()
  await flat.close()
})

/** Recreates the dropped months; the retained rows move back. */
const makeMonthsAgain = () => makeEarlierMonths(months, START_MS)

/** Prunes before a time; `seeMonthsGone` runs after pruning by month and before pruning by row. */
async function prune(database: FreshDatabase, limitMs: number, seeMonthsGone = async () => {}) {
  const clock = { now: () => yearsBeforeMs(limitMs, -1) }
  expect(keptFromMs(clock.now(), 1)).toBe(limitMs)
  const store = createRetentionStore(database)
  const outdated = async (beforeMs: number) => {
    await seeMonthsGone()
    return store.outdated(beforeMs)
  }
  const deps: PruneDeps = {
    store: { ...store, outdated },
    rollups: createRollupStore(database),
    clock,
    actor: 'a test',
  }
  return (await pruneObservations(deps, 1))!.observations
}

const record = (database: FreshDatabase, ...observations: Observation[]) =>
  createObservationStore(database).record({ observations, idempotency: null })

const sorted = <T extends { id: number }>(quotes: T[]) => quotes.toSorted((a, b) => a.id - b.id)

/** The number of observations of whole months before a limit that pruning by row deletes. */
async function superfluousBefore(limitMs: number): Promise<number> {
  const limit = new Date(limitMs).toISOString()
  const [row] = await months.sql<[{ count: number }]>`
    select count(*)::int as count from observations
    where effective_from >= ${new Date(START_MS).toISOString()}::timestamptz
      and effective_from < date_trunc('month', ${limit}::timestamptz, 'UTC')
      and id not in (
        select kept_observations(p.id, ${limit}::timestamptz) from provider_corridors p
      )`
  return row.count
}

/** All retained data, without the ids that may differ between databases. */
async function keptIn({ sql }: FreshDatabase) {
  const rowsOf = (table: string) => sql`
    select o.id, o.effective_from, o.valid_until, c.target, p.provider_id, f.key
    from ${sql(table)} o
    join corridors c on c.id = o.corridor_id
    join provider_corridors p on p.id = o.provider_corridor_id
    left join offers f on f.id = o.offer_id
    order by o.id`
  const rollups = await sql`
    select c.target, r.hour, r.best_rate, r.counted_best, r.samples, r.pruned
    from rollups r join corridors c on c.id = r.corridor_id order by 1, 2`
  return {
    observations: [...(await rowsOf('observations'))],
    long: [...(await rowsOf('long_prices'))],
    rollups: [...rollups],
  }
}

async function answersOf(database: FreshDatabase, limitMs: number, moments: readonly number[]) {
  const window = { fromMs: START_MS - 40 * DAY_MS, beforeMs: END_MS + 40 * DAY_MS }
  const ofCorridor = async (to: string) => {
    const corridor = { from: 'USD', to }
    const ask = { corridor, interval: 'P1D' as const, ...window }
    const series = await createSeriesStore(database).buckets(ask)
    const standing = moments.map(async (atMs) => {
      const of = { sinceMs: atMs, beforeMs: atMs + 1 }
      return sorted(await createSnapshotStore(database).standing(corridor, of))
    })
    const page = await createHistoryStore(database).page({
      corridor,
      fromMs: limitMs,
      beforeMs: window.beforeMs,
      providerId: null,
      order: 'asc',
      limit: 500,
      offset: 0,
    })
    return [series.toSorted((a, b) => a.startMs - b.startMs), await Promise.all(standing), page]
  }
  const live = moments.map(async (ms) => {
    const nowMs = ms + 3 * HOUR_MS
    const found = await createQuoteStore(database).live(nowMs)
    return sorted([...QuoteIndex.empty.with(found, nowMs).allQuotes()])
  })
  return [await Promise.all(TARGETS.map(ofCorridor)), await Promise.all(live)]
}

const hours = (END_MS - START_MS) / HOUR_MS
const monthEnds = [1, 2, 3, 4, 5].map((month) => (Date.UTC(2021, month) - START_MS) / HOUR_MS)
const hour = fc.oneof(
  fc.integer({ min: -24, max: hours }),
  fc.tuple(fc.constantFrom(...monthEnds), fc.integer({ min: -2, max: 1 })).map(([at, n]) => at + n),
)
const row = fc.record({
  to: fc.constantFrom(...TARGETS),
  provider: fc.constantFrom(...PROVIDERS.slice(0, 2)),
  rate: fc.constantFrom('1', '1.5', '2'),
  hour,
  said: fc.constantFrom(null, offer({ service: 'a' })),
  validHours: fc.option(fc.integer({ min: 1, max: 90 * 24 })),
})

/** A price that is valid from the first hour on, across dropped months. */
const LONG = {
  to: 'KES',
  provider: PROVIDERS[0]!,
  rate: '1' as const,
  hour: 0,
  said: null,
  validHours: 50 * 24,
}

function observationsOf(drawn: readonly (typeof row extends fc.Arbitrary<infer T> ? T : never)[]) {
  return drawn.map(({ to, provider, rate, hour: at, said, validHours }) => {
    const effectiveMs = START_MS + at * HOUR_MS
    const validUntilMs = effectiveMs + (validHours ?? 0) * HOUR_MS
    return observation({
      to,
      offer: validHours === null ? said : { ...(said ?? PLAIN), validUntilMs },
      providerId: provider.id,
      rateType: provider.rateType,
      rate,
      effectiveMs,
    })
  })
}

const LIMIT_MS = Date.UTC(2021, 3, 1, 1)

const FEBRUARY = `effective_from >= '2021-02-01Z' and effective_from < '2021-03-01Z'`

/** Recreates the months, records a price a day in them, and returns how many are to be deleted. */
async function recordMonths(): Promise<number> {
  await makeMonthsAgain()
  const said = { to: 'UGX', providerId: 'retail-b' }
  const prices = Array.from({ length: 90 }, (_, day) =>
    observation({ ...said, effectiveMs: START_MS + day * DAY_MS }),
  )
  await record(months, ...prices)
  const store = createRetentionStore(months)
  let count = 0
  for (const one of await store.outdated(LIMIT_MS)) count += await store.count(one, LIMIT_MS)
  expect(count).toBeGreaterThan(88)
  return count
}

const partsBefore = (limitMs: number) => createRetentionStore(months).months(limitMs)

/** A transaction of another session that has run a statement, and stays open until it is ended. */
async function opened(statement: string) {
  const held = await months.sql.reserve()
  await held.unsafe(`begin; ${statement}`)
  return {
    async end() {
      await held`commit`
      held.release()
    },
  }
}

async function* linesOf(text: string) {
  yield* text.split('\n').slice(0, -1)
}

async function differencesIn(database: FreshDatabase) {
  const rollups = createRollupStore(database)
  const found = (await rollups.corridors()).map((one) => rollups.differences(one, ALWAYS))
  return (await Promise.all(found)).flat()
}

describe('months that are dropped', () => {
  test(
    'leave the same rows as deletion row by row, and change no later response',
    async () => {
      let dropped = 0
      const rows = fc.array(row, { minLength: 1, maxLength: 60 })
      const law = fc.asyncProperty(rows, hour, fc.array(hour), async (drawn, limit, since) => {
        await makeMonthsAgain()
        const observations = observationsOf(drawn)
        for (const database of [months, flat]) await record(database, ...observations)
        const limitMs = START_MS + limit * HOUR_MS
        const moments = [limitMs, END_MS, ...since.map((n) => limitMs + Math.abs(n) * HOUR_MS)]
        const before = await answersOf(months, limitMs, moments)
        dropped += (await createRetentionStore(months).months(limitMs)).length
        const seeMonthsGone = async () => expect(await superfluousBefore(limitMs)).toBe(0)
        const count = await prune(months, limitMs, seeMonthsGone)
        expect(count).toBe(await prune(flat, limitMs))
        expect(await createRetentionStore(months).months(limitMs)).toEqual([])
        expect(await answersOf(months, limitMs, moments)).toEqual(before)
        expect(await keptIn(months)).toEqual(await keptIn(flat))
        expect(await differencesIn(months)).toEqual([])
      })
      const april = monthEnds[2]!
      await fc.assert(law, { numRuns: RUNS, endOnFailure: true, examples: [[[LONG], april, []]] })
      expect(dropped).toBeGreaterThanOrEqual(3)
    },
    TEST_MS_MAX,
  )

  test('leave the best of an hour unchanged if the row that remains was replaced in it', async () => {
    await makeMonthsAgain()
    const effectiveMs = START_MS + 10 * HOUR_MS
    const said = { to: 'UGX', effectiveMs, offer: offer({ service: 'a' }) }
    await record(months, observation({ ...said, rate: '1.5' }))
    const until = (validUntilMs: number) => ({ offer: { ...said.offer, validUntilMs } })
    await record(
      months,
      observation({ ...said, rate: '1', ...until(effectiveMs + 6 * HOUR_MS) }),
      observation({ ...said, ...until(LIMIT_MS), effectiveMs: effectiveMs + HOUR_MS }),
    )
    await prune(months, LIMIT_MS)
    expect(await differencesIn(months)).toEqual([])
  })

  test('wait for a query that reads them, and for nothing else', async () => {
    const doomed = await recordMonths()
    const reading = await opened(`select from observations where ${FEBRUARY}`)
    const pruning = prune(months, LIMIT_MS)
    await untilWaiting(months, 1)
    await record(months, observation({ effectiveMs: END_MS + HOUR_MS }))
    await reading.end()
    expect(await pruning).toBe(doomed)
    expect(await partsBefore(LIMIT_MS)).toEqual([])
  })

  test('stay whole with their roll-ups if the process is killed, until the next run', async () => {
    const doomed = await recordMonths()
    const before = await keptIn(months)
    const reading = await opened(`select from observations where ${FEBRUARY}`)
    const process = { ...months, ...otherHandle(months) }
    const pruning = prune(process, LIMIT_MS).then(
      () => 'done',
      () => 'killed',
    )
    await untilWaiting(months, 1)
    await months.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ~ 'drop_observation_month'
        and pid <> pg_backend_pid()`
    expect(await pruning).toBe('killed')
    await process.close()
    await reading.end()
    expect(await keptIn(months)).toEqual(before)
    expect(await partsBefore(LIMIT_MS)).toHaveLength(3)
    expect(await prune(months, LIMIT_MS)).toBe(doomed)
  })

  test('are emptied row by row while others hold them, and go once they are free', async () => {
    const doomed = await recordMonths()
    const reading = await opened('lock table observation_months.early in access share mode')
    expect(await prune(months, LIMIT_MS)).toBe(doomed)
    expect(await partsBefore(LIMIT_MS)).toHaveLength(3)
    await reading.end()
    const before = await keptIn(months)
    expect(await prune(months, LIMIT_MS)).toBe(0)
    expect(await partsBefore(LIMIT_MS)).toEqual([])
    expect(await keptIn(months)).toEqual(before)
  })

  test('are whole in a backup that is written meanwhile', async () => {
    await recordMonths()
    const before = await keptIn(months)
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const lines: string[] = []
    const writing = writeBackup(months, async (text) => {
      lines.push(Buffer.from(text).toString())
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    await prune(months, LIMIT_MS)
    goOn.resolve()
    await writing
    const restored = await freshDatabase()
    await restoreBackup(restored, linesOf(lines.join('')))
    expect(await keptIn(restored)).toEqual(before)
    expect(await differencesIn(restored)).toEqual([])
    await restored.close()
  })

  test('lose nothing that is recorded into them meanwhile', async () => {
    let recorded = 0
    const late = (i: number) =>
      observation({ effectiveMs: START_MS + (i % 80) * DAY_MS, rate: String(1 + (i % 7)) })
    const rows = async () => {
      const [sums] = await months.sql<{ rows: number; noted: number }[]>`
        select (select count(*)::int from observations) + (select sum(pruned)::int from rollups)
          as rows, (select sum(samples)::int from rollups) as noted`
      return sums!
    }
    const { rows: before } = await rows()
    for (let runs = 0; runs < 4; runs++) {
      await makeMonthsAgain()
      const recording = Array.from({ length: 30 }, (_, i) =>
        record(months, late(i), late(i + 13), late(i + 31)),
      )
      await prune(months, LIMIT_MS)
      await Promise.all(recording)
      recorded += 90
      expect(await rows()).toEqual({ rows: before + recorded, noted: before + recorded })
      expect(await differencesIn(months)).toEqual([])
    }
  })

  test('are refused while they last, and while they are younger than a year', async () => {
    await makeMonthsAgain()
    const drop = (limit: string) =>
      months.sql`select drop_observation_month('2021-01-01Z', ${limit}::timestamptz) as gone`.then(
        ([row]) => row!.gone,
        ({ message }: Error) => message,
      )
    expect(await drop('2021-01-31T23:00:00Z')).toContain('lasts longer')
    expect(await drop(new Date(systemClock.now() - 364 * DAY_MS).toISOString())).toContain('a year')
    const [other] = await months.sql`
      select drop_observation_month('2021-02-01Z', '2021-03-01Z') as gone`
    expect(other!.gone).toBeNull()
    expect(await drop('2021-02-01Z')).toBe(0)
  })
})
