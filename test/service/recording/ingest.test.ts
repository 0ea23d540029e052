import { afterEach, describe, expect, jest, test } from 'bun:test'
import type { ServiceError } from '~/domain/errors.ts'
import type { Observation, Recording } from '~/domain/observation.ts'
import { ANSWER_MS_MAX } from '~/service/deadline.ts'
import { type IngestDeps, ingest } from '~/service/recording/ingest.ts'
import { noReferences } from '../../support/days.ts'
import { serving } from '../../support/serving.ts'
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

/** A world and an ingestion into it whose database returns `recording`. */
function ingestionOf(
  world: World,
  recording: Promise<Recording> | Recording,
  referencesAt: IngestDeps['store']['referencesAt'] = noReferences,
) {
  const deps: IngestDeps = {
    store: serving(
      { record: async () => recording, answered: async () => null, referencesAt },
      world,
    ),
  }
  return (...observations: Observation[]) => ingest(deps, { observations, idempotency: null })
}

const servedBy = (world: World, tier: 'hourly' | 'realtime' = 'realtime') =>
  viewOf(world, tier)
    .corridor('USD', 'KES')
    .quotes.map(({ quote: { id, rate } }) => [id, rate])

describe('ingest', () => {
  test('serves every row with every field, under its id, when it returns', async () => {
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

  test('returns the first response again for a repeated idempotency key, and publishes nothing', async () => {
    const world = new World()
    const record = ingestionOf(world, { kind: 'replayed', inserted: 2, ids: [7, 8] })
    expect(await record(observation())).toEqual({ inserted: 2, ids: [7, 8] })
    expect(servedBy(world)).toEqual([])
  })

  test('refuses a repeated key with another body, and publishes nothing', async () => {
    const world = new World()
    const answer = ingestionOf(world, { kind: 'key_reused' })(observation())
    await expect(answer).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(servedBy(world)).toEqual([])
  })

  test('passes an error of the database on unchanged, and publishes nothing', async () => {
    const world = new World()
    const error = new Error('disk full')
    const failing = Promise.reject(error)
    await expect(ingestionOf(world, failing)(observation())).rejects.toBe(error)
    expect(servedBy(world)).toEqual([])
  })
})

describe('ingest, with a database that does not respond', () => {
  afterEach(() => void jest.useRealTimers())

  test('gives up after its time, and not before', async () => {
    jest.useFakeTimers()
    const world = new World()
    const { promise } = Promise.withResolvers<Recording>()
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
  })

  test('leaves no timer behind after a response in time', async () => {
    jest.useFakeTimers()
    await ingestionOf(new World(), { kind: 'recorded', ids: [1] })(observation())
    expect(jest.getTimerCount()).toBe(0)
  })
})
