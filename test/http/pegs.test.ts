import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freshnessAt, hourStartMs } from '~/domain/freshness.ts'
import { View } from '~/memory/view.ts'
import { trendsOf } from '~/service/trends.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { currency, PROVIDERS } from '../support/catalogue.ts'
import { pastOf } from '../support/past.ts'
import { PastWorld } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW = '2026-03-05T14:25:30.500Z'
const XOF_RATE = 655.957
const AED_RATE = 3.6725

let database: FreshDatabase
let world: PastWorld

/** EUR and KES float; XOF is pegged to EUR and AED to USD, unless `isPegged` says otherwise. */
const currencies = (isPegged = true) => [
  ...['USD', 'EUR', 'KES'].map((code) => currency(code)),
  currency('XOF', { peg: isPegged ? { to: 'EUR', rate: XOF_RATE } : null }),
  currency('AED', { peg: isPegged ? { to: 'USD', rate: AED_RATE } : null }),
]

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({ currencies: currencies(), providers: PROVIDERS })
  world = await new PastWorld(database, { at: NOW }).start()
  await fix('2026-03-03T05:00:00Z', { EUR: '0.8', XOF: '520' })
  await fix('2026-03-04T05:00:00Z', { KES: '130' })
}, TEST_MS_MAX)
afterAll(() => database.close())

async function fix(at: string, perUsd: Record<string, string>) {
  const rates = Object.entries(perUsd).map(([code, rate]) => ({ currency: code, perUsd: rate }))
  const snapshot = { source: 'feed', fetchedMs: Date.parse(at), rates }
  const references = await createReferenceStore(database).append(snapshot)
  world.memory.publish({ references }, world.clock.now())
}

const bodyOf = async (path: string) => (await world.get(path)).body

describe('a pegged currency', () => {
  test("returns 200 with its anchor's mid times the rate, with the anchor's time, and the peg as its source", async () => {
    const pegged = { mid_rate: XOF_RATE, mid_source: 'peg:EUR+feed' }
    const at = { mid_fetched_at: '2026-03-03T05:00:00.000Z' }
    expect(await bodyOf('/rates?from=EUR&to=XOF')).toMatchObject({ ...pegged, ...at })
    expect(await bodyOf('/historical?from=EUR&to=XOF&date=2026-03-03')).toMatchObject(pegged)
    expect(await bodyOf('/historical?from=EUR&to=XOF&date=2026-03-02')).not.toHaveProperty(
      'mid_rate',
    )
    expect(await bodyOf('/fetch-one?from=USD&to=XOF')).toMatchObject({
      mid: 524.7656,
      source: 'peg:EUR+feed',
    })
  })

  test('has a mid at any time if pegged to the dollar, whatever feeds report of others', async () => {
    expect(await bodyOf('/rates?from=USD&to=AED')).toMatchObject({
      mid_rate: AED_RATE,
      mid_source: 'peg:USD',
      mid_fetched_at: new Date(hourStartMs(world.clock.now())).toISOString(),
    })
    expect(await bodyOf('/historical?from=USD&to=AED&date=2026-03-03')).toMatchObject({
      mid_rate: AED_RATE,
      mid_source: 'peg:USD',
    })
  })

  test('returns 200 with its mids in a time series, each with the time of its anchor', async () => {
    const points = async (pair: string) =>
      (await bodyOf(`/time-series?${pair}&start=2026-03-02T00:00:00Z`)).data.map(
        ({ mid, mid_at }: { mid: number | null; mid_at: string | null }) => [
          mid,
          mid_at?.slice(0, 10) ?? null,
        ],
      )
    expect(await points('from=EUR&to=XOF')).toEqual([
      [null, null],
      ...Array(3).fill([XOF_RATE, '2026-03-03']),
    ])
    expect(await points('from=USD&to=AED')).toEqual([
      [AED_RATE, '2026-03-02'],
      [AED_RATE, '2026-03-03'],
      [AED_RATE, '2026-03-04'],
      [AED_RATE, '2026-03-05'],
    ])
  })

  test('returns 200 with its mids at both ends of a change', async () => {
    const { start, end } = await bodyOf('/change?from=EUR&to=XOF&period=1d')
    expect(start).toMatchObject({ mid: XOF_RATE, source: 'peg:EUR+feed' })
    expect(end).toMatchObject({ mid: XOF_RATE, source: 'peg:EUR+feed' })
  })

  test('has its mids in the trends of the board', async () => {
    const now = freshnessAt('hourly', world.clock.now())
    const limits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
    const pairs = ['EUR/XOF', 'USD/AED', 'EUR/KES'].map((pair) => pair.split('/'))
    const corridors = pairs.map(([from, to]) => ({ from: from!, to: to! }))
    const view = new View(world.memory.current, now, limits)
    const trends = await trendsOf(pastOf(database), view, corridors)
    const lastDays = (pair: string) => trends.get(pair)!.mid.slice(-4)
    expect(lastDays('EUR/XOF')).toEqual([null, XOF_RATE, XOF_RATE, XOF_RATE])
    expect(lastDays('USD/AED')).toEqual([AED_RATE, AED_RATE, AED_RATE, AED_RATE])
    expect(lastDays('EUR/KES')).toEqual([null, null, 130 / 0.8, 130 / 0.8])
  })

  test('uses a reference of its anchor for an earlier day at once', async () => {
    const historical = () => bodyOf('/historical?from=USD&to=XOF&date=2026-02-20')
    const dollar = () => bodyOf('/historical?from=USD&to=AED&date=2026-02-20')
    expect(await historical()).not.toHaveProperty('mid_rate')
    expect((await dollar()).mid_rate).toBe(AED_RATE)
    await fix('2026-02-20T05:00:00Z', { EUR: '0.5' })
    expect((await historical()).mid_rate).toBe(XOF_RATE / 2)
    expect((await dollar()).mid_rate).toBe(AED_RATE)
  })

  test('has the mids of the feeds once its peg is removed, in the past too', async () => {
    const asked = [
      '/rates?from=EUR&to=XOF',
      '/historical?from=EUR&to=XOF&date=2026-03-03',
      '/historical?from=USD&to=AED&date=2026-03-03',
    ]
    const series = async () =>
      (await bodyOf('/time-series?from=EUR&to=XOF&start=2026-03-05T00:00:00Z')).data[0].mid
    const rates = async () => [
      ...(await Promise.all(asked.map(async (path) => (await bodyOf(path)).mid_rate))),
      await series(),
    ]
    expect(await rates()).toEqual([XOF_RATE, XOF_RATE, AED_RATE, XOF_RATE])
    await world.apply({ currencies: currencies(false), providers: [] })
    expect(await rates()).toEqual([650, 650, undefined, 650])
    await world.apply({ currencies: currencies(), providers: [] })
    expect(await rates()).toEqual([XOF_RATE, XOF_RATE, AED_RATE, XOF_RATE])
  })
})
