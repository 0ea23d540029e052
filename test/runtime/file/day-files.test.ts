import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dayFileJob, dayFilesOf } from '~/runtime/file/day-files.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { PastWorld } from '../../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
  world = await new PastWorld(database, { at: '2026-03-05T01:01:00.000Z' }).start()
}, TEST_MS_MAX)
afterAll(() => database.close())

const run = () => {
  const { memory, clock } = world
  const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
  return dayFileJob({ memory, clock, ageLimits, dayFiles: dayFilesOf(database) }).run()
}
const days = async () =>
  (await database.sql<{ day: string }[]>`select day::text from day_files`).map(({ day }) => day)

describe('the job that makes the file of a day', () => {
  test('makes none where nothing has been observed', async () => {
    await run()
    expect(await days()).toEqual([])
  })

  test('makes that of the day before once it has settled, from several processes one', async () => {
    const at = '2026-03-04T12:00:00Z'
    const row = { provider_id: 'retail-a', rate: 129, from: 'USD', to: 'KES', effective_from: at }
    await world.post([row])
    world.clock.set('2026-03-05T00:59:59.999Z')
    await run()
    expect(await days()).toEqual([])
    world.clock.set('2026-03-05T01:00:00.000Z')
    await Promise.all([run(), run(), run()])
    expect(await days()).toEqual(['2026-03-04'])
  })

  test('says that the database is away where it is', async () => {
    const { memory, clock } = world
    const gone = await freshDatabase()
    await gone.close()
    const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
    const job = dayFileJob({ memory, clock, ageLimits, dayFiles: dayFilesOf(gone) })
    expect(job.run()).rejects.toMatchObject({ code: 'database_unavailable' })
  })
})
