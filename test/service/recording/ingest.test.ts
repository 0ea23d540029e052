import { afterEach, describe, expect, jest, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { ServiceError } from '~/domain/errors.ts'
import type { Observation, Recording } from '~/domain/observation.ts'
import { ANSWER_MS_MAX } from '~/service/deadline.ts'
import { type IngestDeps, ingest } from '~/service/recording/ingest.ts'
import { noReferences } from '../../support/days.ts'
import { viewOf } from '../../support/views.ts'
import { World } from '../../support/world.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const observation = (more: Partial<Observation> = {}): Observation => ({
  providerId: 'retail-a',
  from: 'USD',
  to: 'KES',
  rate: '129.5',
  fee: null,
  feeCurrency: null,
  rateType: 'retail',
  evidence: 'observed',
  offer: null,
  effectiveMs: NOW_MS,
  notes: null,
  ...more,
})

/** A world and an ingestion into it that the database answers with `recording`. */
function ingestionOf(
  world: World,
  recording: Promise<Recording> | Recording,
  referencesAt: IngestDeps['store']['referencesAt'] = noReferences,
) {
  const deps: IngestDeps = {
    memory: world.memory,
    clock: world.clock,
    store: {
      record: async () => recording,
      answered: async () => null,
      referencesAt,
    },
  }
  return (...observations: Observation[]) => ingest(deps, { observations, idempotency: null })
}

const servedBy = (world: World, tier: 'hourly' | 'realtime' = 'realtime') =>
  viewOf(world, tier)
    .corridor('USD', 'KES')
    .quotes.map(({ quote: { id, rate } }) => [id, rate])

describe('ingest', () => {
  test('every row is served when it answers, with every field, under its id', async () => {
    const world = new World()
    const record = ingestionOf(world, { kind: 'recorded', ids: [71, 72] })
    const answer = await record(
      observation({ rate: '129.500', fee: '1.50', feeCurrency: 'KES', evidence: 'derived' }),
      observation({ providerId: 'official-a', rateType: 'official', rate: '1e-12' }),
    )
    expect(answer).toEqual({ inserted: 2, ids: [71, 72] })
    const [retail, official] = viewOf(world).corridor('USD', 'KES').quotes
    expect(retail?.quote).toEqual({
      id: 71,
      atMs: NOW_MS,
      providerId: 'retail-a',
      from: 'USD',
      to: 'KES',
      rate: 129.5,
      fee: 1.5,
      feeCurrency: 'KES',
      rateType: 'retail',
      evidence: 'derived',
      offer: null,
    })
    expect(official?.quote).toMatchObject({ id: 72, rate: 1e-12, rateType: 'official', fee: null })
  })

  test('nothing is served before the database has committed', async () => {
    const world = new World()
    const { promise, resolve } = Promise.withResolvers<Recording>()
    const answer = ingestionOf(world, promise)(observation())
    await Promise.resolve()
    expect(servedBy(world)).toEqual([])
    resolve({ kind: 'recorded', ids: [1] })
    await answer
    expect(servedBy(world)).toEqual([[1, 129.5]])
  })

  test('the later of two rows for one price at one moment holds', async () => {
    const world = new World()
    const record = ingestionOf(world, { kind: 'recorded', ids: [1, 2] })
    await record(observation({ rate: '1' }), observation({ rate: '2' }))
    expect(servedBy(world)).toEqual([[2, 2]])
  })

  test('two batches at the same time hold in the order of recording, whichever is answered first', async () => {
    const world = new World()
    const first = Promise.withResolvers<Recording>()
    const second = Promise.withResolvers<Recording>()
    const answers = [
      ingestionOf(world, first.promise)(observation({ rate: '1' })),
      ingestionOf(world, second.promise)(observation({ rate: '2' })),
    ]
    second.resolve({ kind: 'recorded', ids: [2] })
    await answers[1]
    first.resolve({ kind: 'recorded', ids: [1] })
    await answers[0]
    expect(servedBy(world)).toEqual([[2, 2]])
  })

  test('a batch that straddles the hour is in the new hour and not in the old one', async () => {
    const world = new World({ at: '2026-03-05T14:59:59.999Z' })
    world.quote({ providerId: 'retail-a', rate: 1, at: '2026-03-05T13:00:00.000Z' })
    const { promise, resolve } = Promise.withResolvers<Recording>()
    const effectiveMs = world.clock.now()
    const answer = ingestionOf(world, promise)(observation({ effectiveMs, rate: '2' }))
    const beforeTheHour = viewOf(world, 'hourly')
    world.clock.advance(1)
    resolve({ kind: 'recorded', ids: [50] })
    await answer
    expect(beforeTheHour.corridor('USD', 'KES').best?.quote.rate).toBe(1)
    expect(servedBy(world, 'hourly')).toEqual([[50, 2]])
    world.clock.advance(-1)
    expect(viewOf(world, 'hourly').corridor('USD', 'KES').best?.quote.rate).toBe(1)
  })

  test('a repeated idempotency key gives the first answer again and publishes nothing', async () => {
    const world = new World()
    const record = ingestionOf(world, { kind: 'replayed', inserted: 2, ids: [7, 8] })
    expect(await record(observation())).toEqual({ inserted: 2, ids: [7, 8] })
    expect(servedBy(world)).toEqual([])
  })

  test('a repeated key with another body is refused and publishes nothing', async () => {
    const world = new World()
    const answer = ingestionOf(world, { kind: 'key_reused' })(observation())
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(servedBy(world)).toEqual([])
  })

  test('an error of the database is passed on unchanged and publishes nothing', async () => {
    const world = new World()
    const error = new Error('disk full')
    const failing = Promise.reject(error)
    await expect(ingestionOf(world, failing)(observation())).rejects.toBe(error)
    expect(servedBy(world)).toEqual([])
  })
})

describe("the mid of a quote's own day", () => {
  const earlierMs = NOW_MS - HOUR_MS
  const mids = (world: World) =>
    viewOf(world)
      .corridor('USD', 'KES')
      .quotes.map(({ midAtQuote }) => midAtQuote?.rate ?? null)

  test('is known when the answer is given, and looked up for earlier days alone', async () => {
    const world = new World()
    world.reference({ KES: 130 })
    const looked: number[] = []
    const record = (id: number, effectiveMs: number) =>
      ingestionOf(world, { kind: 'recorded', ids: [id] }, async (probes) => {
        looked.push(probes.length)
        return probes.map((probe) => ({
          ...probe,
          reference: { id: 9, atMs: probe.atMs, currency: 'KES', perUsd: 120, source: 'feed' },
        }))
      })(observation({ effectiveMs }))
    await record(71, earlierMs)
    expect(mids(world)).toEqual([120])
    await record(72, NOW_MS)
    expect(mids(world)).toEqual([130])
    expect(looked).toEqual([1])
  })

  test('is left out if it could not be looked up, and the quote is served all the same', async () => {
    const world = new World()
    world.reference({ KES: 130 })
    const failing = () => Promise.reject(new Error('database away'))
    const record = ingestionOf(world, { kind: 'recorded', ids: [71] }, failing)
    expect(await record(observation({ effectiveMs: earlierMs }))).toEqual({
      inserted: 1,
      ids: [71],
    })
    expect(servedBy(world)).toEqual([[71, 129.5]])
    expect(mids(world)).toEqual([null])
  })
})

describe('ingest, with a database that does not answer', () => {
  afterEach(() => void jest.useRealTimers())

  test('gives up after its time, not before, and still serves rows that are committed later', async () => {
    jest.useFakeTimers()
    const world = new World()
    const { promise, resolve } = Promise.withResolvers<Recording>()
    let failure: ServiceError | null = null
    const answer = ingestionOf(
      world,
      promise,
    )(observation()).catch((error) => {
      failure = error
    })
    jest.advanceTimersByTime(ANSWER_MS_MAX - 1)
    for (let i = 0; i < 10; i++) await Promise.resolve()
    expect(failure).toBeNull()
    jest.advanceTimersByTime(1)
    await answer
    expect(failure).toMatchObject({ code: 'database_unavailable' })
    resolve({ kind: 'recorded', ids: [1] })
    for (let i = 0; i < 10; i++) await Promise.resolve()
    expect(servedBy(world)).toEqual([[1, 129.5]])
  })

  test('an answer in time leaves no timer behind', async () => {
    jest.useFakeTimers()
    await ingestionOf(new World(), { kind: 'recorded', ids: [1] })(observation())
    expect(jest.getTimerCount()).toBe(0)
  })
})
