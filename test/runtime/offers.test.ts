import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROVIDER_OFFERS_MAX } from '~/store/offer/made-offers.ts'
import { stockedDatabase } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { AT, addAccount, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let key: string
let folder: string
const running: Replica[] = []

beforeAll(async () => {
  folder = await scratchFolder()
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
  await started(database)
  await started(database)
})
afterAll(async () => {
  for (const { service } of running.splice(0)) await service.stop()
  await database.close()
})

async function started(on: FreshDatabase): Promise<Replica> {
  const replica = await Replica.start(on)
  running.push(replica)
  return replica
}

const table = [
  { fee: 350, amount_min: 100, amount_max: 20_000, pay_out: ['cash'] },
  { fee: 550, amount_min: 20_001, amount_max: 90_000, pay_out: ['cash'] },
  { fee: 200, fee_percent: 0.5, pay_out: ['mobile_money'], target_country: 'KE' },
  { service: 'Express', delivery_max: 'PT1H', valid_until: '2026-03-05T18:00:00Z' },
  {},
].map((terms, n) => ({
  ...{ provider_id: 'retail-a', from: 'GBP', to: 'KES', rate: 170 + n / 10 },
  ...{ effective_from: '2026-03-05T14:00:00Z', ...terms },
}))

/** The number of entries for one amount, if the bands of one offer count once. */
const BANDED = table.length - 1

const QUESTIONS = [
  '/rates?from=GBP&to=KES&offers=all',
  '/convert?from=GBP&to=KES&amount=25000&offers=all',
  '/rates/history?from=GBP&to=KES&period=7d',
  '/corridors',
]

async function answersOf(replica: Replica): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const question of QUESTIONS) {
    const { status, body } = await replica.get(question, key)
    expect([question, status]).toEqual([question, 200])
    answers.push(body)
  }
  return answers
}

describe('offers', () => {
  test('that one replica records are served by the other, by a new one, and after a restore', async () => {
    const [first, second] = running as [Replica, Replica]
    const { status } = await first.post(table, key)
    expect(status).toBe(201)
    const expected = await answersOf(first)
    expect((expected[0] as { count: number }).count).toBe(table.length)
    expect((expected[1] as { count: number }).count).toBe(BANDED)
    expect((expected[2] as { count: number }).count).toBe(table.length)
    await until('the other to serve them', async () =>
      Bun.deepEquals(await answersOf(second), expected),
    )
    expect(await answersOf(await started(database))).toEqual(expected)
    const file = join(folder, 'offers.backup')
    documentOf(await corridor(['backup', file, '--json'], database.url))
    const restored = await freshDatabase()
    documentOf(await corridor(['restore', file, '--json'], restored.url))
    const after = await started(restored)
    expect(await answersOf(after)).toEqual(expected)
    expect((await after.post({ ...table[0], service: 'new' }, key)).status).toBe(201)
    const { body } = await after.get('/rates?from=GBP&to=KES&offers=all', key)
    expect(body.count).toBe(table.length + 1)
    await after.service.stop()
    running.pop()
    await restored.close()
  })

  test('fall back to the previous price when the newest expires, on every replica', async () => {
    const rate = async (replica: Replica) => {
      const path = '/rates?from=EUR&to=KES'
      return (await replica.get(path, key)).body.providers.map((one: { rate: number }) => one.rate)
    }
    const row = { provider_id: 'retail-a', from: 'EUR', to: 'KES', service: 'promo' }
    const [first, second] = running as [Replica, Replica]
    const promo = { ...row, rate: 155, valid_until: '2026-03-05T14:26:00Z' }
    await first.post([{ ...row, rate: 150, effective_from: '2026-03-05T13:00:00Z' }, promo], key)
    await until('the promotion', async () => (await rate(second))[0] === 155)
    const later = await started(database)
    for (const { clock } of running) clock.set('2026-03-05T14:26:00.001Z')
    for (const replica of [first, second, later]) expect(await rate(replica)).toEqual([150])
    for (const { clock } of running) clock.set(AT)
  })

  test(`return 422 by name for more than ${PROVIDER_OFFERS_MAX} of a provider in a corridor, and store nothing`, async () => {
    const [first, second] = running as [Replica, Replica]
    const row = { provider_id: 'retail-b', from: 'USD', to: 'NGN', rate: 1500 }
    const band = (n: number) => ({ ...row, amount_min: n, amount_max: n })
    for (let start = 1; start <= PROVIDER_OFFERS_MAX; start += 100) {
      const bands = Array.from({ length: 100 }, (_, i) => band(start + i))
      expect((await [first, second][start % 2]!.post(bands, key)).status).toBe(201)
    }
    const over = await second.post([row, band(PROVIDER_OFFERS_MAX + 1)], key)
    expect(over).toMatchObject({
      status: 422,
      body: { code: 'invalid_rows', errors: [{ index: 1 }] },
    })
    expect(over.body.errors[0].error).toContain(
      `retail-b has ${PROVIDER_OFFERS_MAX} offers in USD/NGN`,
    )
    const path = '/rates/history?from=USD&to=NGN&period=1d&limit=500'
    expect((await first.get(path, key)).body.count).toBe(PROVIDER_OFFERS_MAX)
    expect((await first.post([row, band(7)], key)).status).toBe(201)
  })

  test('in a file are recorded once, and a file with too many of them is refused', async () => {
    const file = join(folder, 'offers.csv')
    const header =
      'provider_id,from,to,rate,pay_out,amount_min,amount_max,fee_percent,effective_from'
    const lines = Array.from({ length: 150 }, (_, n) =>
      [
        `p2p-a,USD,UGX,3500,cash|mobile_money,${n},${n + 1}`,
        n % 3 || '',
        '2026-03-01T00:00:00Z',
      ].join(),
    )
    await writeFile(file, [header, ...lines].join('\n'))
    const load = () => corridor(['observations', 'import', file, '--json'], database.url)
    expect(documentOf(await load())).toMatchObject({ inserted: 150, skipped: 0 })
    expect(documentOf(await load())).toMatchObject({ inserted: 0, skipped: 150 })
    await writeFile(file, [header, ...lines.map((line) => line.replace('cash|', ''))].join('\n'))
    const refused = await load()
    expect(refused.status).toBe(1)
    expect(refused.said.at(-1)).toContain(`p2p-a has ${PROVIDER_OFFERS_MAX} offers in USD/UGX`)
    const [replica] = running as [Replica]
    await until('the file', async () => {
      const { body } = await replica.get('/convert?from=USD&to=UGX&amount=100.5', key)
      return body.providers[0]?.offer.amount_min === 100
    })
  })
})
