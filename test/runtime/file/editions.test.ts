import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { fileJob } from '~/runtime/file/files.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { dayText, lastSettledDayMs } from '~/service/file/period.ts'
import { KnownWorld } from '../../contract/known-world.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

let database: FreshDatabase
let known: KnownWorld
/** The UTC day of all recordings in the first edition. */
let firstMs: number

beforeAll(async () => {
  database = await freshDatabase()
  known = await KnownWorld.start(database)
  await known.catalogue({ currencies: [...CURRENCIES], providers: [...PROVIDERS] })
  firstMs = Math.floor(known.nowMs / DAY_MS) * DAY_MS
  await known.post([price({ rate: 90, to: 'NGN' }), price({ rate: 129 })])
}, TEST_MS_MAX)
afterAll(() => database.close())

const price = (more: object) => ({
  ...{ provider_id: 'retail-a', from: 'USD', to: 'KES' },
  effective_from: new Date(firstMs).toISOString(),
  ...more,
})

/** Advances to a time on a later day, counted from the first, and runs the job there. */
async function run(days: number, hours = 2): Promise<void> {
  await known.advance(firstMs + days * DAY_MS + hours * HOUR_MS - known.nowMs)
  const { memory, clock } = known.world
  const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
  const log = { error() {} }
  await fileJob({ memory, clock, ageLimits, database, log, monthWriter }).run()
}

async function file(query = '', day = 0) {
  const path = `/files/${dayText(firstMs + day * DAY_MS)}.csv.gz${query}`
  const response = await known.world.ask(path)
  const bytes = await response.bytes()
  const text = new TextDecoder().decode(bytes[0] === 0x1f ? Bun.gunzipSync(bytes) : bytes)
  const { headers, status } = response
  const rate = text.match(/,(129|130|131)(\.0+)?,/)?.[1] ?? null
  return { status, text, rate, link: headers.get('link'), name: headers.get('content-disposition') }
}

const editions = async () =>
  database.sql<{ day: string; edition: number }[]>`
    select period as day, edition from files where edition > 1 and length(period) = 10
    order by period, edition`

describe('editions of the file of a day', () => {
  test('the first holds what was known when the day had settled, whenever it is created', async () => {
    await known.advance(firstMs + DAY_MS + 1.5 * HOUR_MS - known.nowMs)
    const renamed = { ...PROVIDERS.find(({ id }) => id === 'retail-a')!, name: 'Renamed' }
    await known.catalogue({ providers: [renamed] })
    await known.post([price({ rate: 130 })])
    await run(1)
    expect(await file()).toMatchObject({ status: 200, rate: '129', link: null })
    expect((await file()).text).not.toContain('Renamed')
    expect(await editions()).toHaveLength(0)
  })

  test('a correction creates a second one, and the first stays unchanged', async () => {
    const before = await file()
    await run(2)
    expect(await file()).toEqual({ ...before, link: '<?edition=2>; rel="latest-version"' })
    expect(await file('?edition=1')).toEqual(await file())
    const second = await file('?edition=2')
    expect(second).toMatchObject({ status: 200, rate: '130', link: null })
    expect(second.text).toBe(before.text.replace(/,129(?=[.,])/, ',130'))
    expect(second.name).toContain(`${dayText(firstMs)}-edition-2.csv.gz`)
    expect(await file('', 1)).toMatchObject({ status: 200, rate: '130', link: null })
  })

  test('nothing new creates none, and a withdrawal creates one of every day on which the row counted', async () => {
    await run(3)
    const days = [0, 1, 2].map((day) => dayText(firstMs + day * DAY_MS))
    expect((await editions()).map(({ day, edition }) => [day, edition])).toEqual([[days[0]!, 2]])
    await known.withdraw(known.ids.slice(-1))
    await run(4)
    expect((await editions()).map(({ day, edition }) => [day, edition])).toEqual([
      [days[0]!, 2],
      [days[0]!, 3],
      [days[1]!, 2],
      [days[2]!, 2],
    ])
    expect(await file('?edition=3')).toMatchObject({ rate: '129', link: null })
    expect(await file('?edition=2')).toMatchObject({ rate: '130' })
    expect((await file('?edition=2')).link).toContain('edition=3')
  })

  test('an edition that was changed on disk is created again unchanged, though more is known', async () => {
    const asked = ['', '?edition=2', '?edition=3']
    const before = await Promise.all(asked.map((query) => file(query)))
    const digests = () => database.sql`
      select period, edition, digest, made_at from files order by period, edition`
    const noted = await digests()
    await database.sql`update file_parts set content = set_byte(content, 15, 7)`
    for (const [n, query] of asked.entries()) expect(await file(query)).toEqual(before[n]!)
    expect(await digests()).toEqual(noted)
    expect(known.world.errors).toHaveLength(3)
  })

  test('a missing edition is a 404, and an impossible one a 400', async () => {
    expect(await file('?edition=4')).toMatchObject({ status: 404 })
    expect((await file('?edition=4')).text).toContain('ask for edition 3 or an earlier one')
    for (const odd of ['0', '-1', '1.5', 'x', '1001', ''])
      expect([odd, (await file(`?edition=${odd}`)).status]).toEqual([odd, 400])
  })

  test('days that the job missed get their file at its next run', async () => {
    await run(9)
    const rows = await database.sql<{ day: string }[]>`
      select period as day from files where edition = 1 and length(period) = 10 order by period`
    const lastMs = lastSettledDayMs(known.nowMs)
    const expected = Array.from({ length: 9 }, (_, n) => dayText(firstMs + n * DAY_MS))
    expect(rows.map(({ day }) => day)).toEqual(expected)
    expect(expected.at(-1)).toBe(dayText(lastMs))
  })
})
