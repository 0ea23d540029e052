import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { addAccount, Replica } from '../../runtime/replica-scene.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { PROVIDERS } from '../../support/catalogue.ts'
import { clockAt } from '../../support/clock.ts'
import { corridor, documentOf } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

const PAIR = 'from=USD&to=KES'
const iso = (ms: number): string => new Date(ms).toISOString()
const YESTERDAY = iso(Date.now() - 86_400_000).slice(0, 10)

const QUESTIONS = [
  `/rates?${PAIR}&offers=all`,
  `/convert?${PAIR}&amount=200`,
  `/fetch-one?${PAIR}`,
  '/fetch-matrix?from=USD,GBP&to=KES,NGN',
  `/rates/history?${PAIR}&period=7d&withdrawn=true`,
  `/time-series?${PAIR}&interval=PT1H&period=7d`,
  `/historical?${PAIR}&date=${YESTERDAY}`,
  `/change?${PAIR}&period=1d`,
]

/** A time by the server's clock at which every earlier commit counts as known. */
async function settledMs({ sql }: FreshDatabase): Promise<number> {
  const [row] = await sql<[{ ms: string }]>`
    select ceil(extract(epoch from clock_timestamp()) * 1000) + 1 as ms`
  return Number(row.ms)
}

const feed = (database: FreshDatabase, KES: number) =>
  createReferenceStore(database).append({
    ...{ source: 'feed', fetchedMs: Date.now() - 60_000 },
    rates: [
      { currency: 'KES', perUsd: String(KES) },
      { currency: 'GBP', perUsd: '0.8' },
    ],
  })

const price = (provider_id: string, rate: number, agoMs = 0) => ({
  ...{ provider_id, from: 'USD', to: 'KES', rate },
  effective_from: iso(Date.now() - 1000 - agoMs),
})

test(
  'a database restored to a time responds as known_at does for that time',
  async () => {
    const origin = await stockedDatabase()
    const [key] = (await addAccount(origin, { role: 'treasury' })).keys as [string]
    const clock = clockAt(iso(await settledMs(origin)))
    const replica = await Replica.start(origin, { clock })
    const path = join(await scratchFolder(), 'then.backup')
    await feed(origin, 125)
    clock.set(iso(await settledMs(origin)))
    const rows = [price('retail-a', 120), price('p2p-a', 126), price('retail-a', 119, 86_400_000)]
    const { status, body } = await replica.post([...rows, price('retail-b', 110)], key)
    expect([status, body]).toMatchObject([201, { inserted: 4 }])
    await replica.withdraw([body.ids[3]], key)
    clock.set(iso(await settledMs(origin)))
    const at = iso(clock.now())
    documentOf(await corridor(['backup', path, '--json'], origin.url))

    clock.set(iso(await settledMs(origin)))
    await feed(origin, 150)
    const more = [price('retail-a', 140), { ...rows[1]!, rate: 141 }]
    expect((await replica.post(more, key)).status).toBe(201)
    await replica.withdraw([body.ids[0]], key)
    const [first] = PROVIDERS
    await createCatalogueStore(origin).apply({
      currencies: [],
      providers: [{ ...first!, name: 'Another name' }],
    })
    clock.set(iso((await settledMs(origin)) + 60_000))

    const restored = await freshDatabase()
    documentOf(await corridor(['restore', path, '--json'], restored.url))
    const then = await Replica.start(restored, { clock: clockAt(at) })
    for (const question of QUESTIONS) {
      const was = await then.get(question, key)
      const now = await replica.get(question, key)
      const known = await replica.get(`${question}&known_at=${at}`, key)
      expect([question, known.status]).toEqual([question, 200])
      expect([question, lasting(known.body)]).toEqual([question, lasting(was.body)])
      if (!question.startsWith('/historical'))
        expect([question, lasting(now.body)]).not.toEqual([question, lasting(was.body)])
    }
    await Promise.all([then.service.stop(), replica.service.stop()])
    await Promise.all([restored.close(), origin.close()])
  },
  TEST_MS_MAX,
)

/** A body as text, without the fields that depend on the time of the request. */
function lasting({ timestamp: _, known_at: __, ...body }: Record<string, unknown>): string {
  return JSON.stringify(body)
}
