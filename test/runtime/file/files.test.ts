import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileJob, filesOf } from '~/runtime/file/files.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { PastWorld } from '../../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: '2026-03-05T01:01:00.000Z' }).start()
}, TEST_MS_MAX)
afterAll(() => database.close())

const log = { error() {} }

const run = () => {
  const { memory, clock } = world
  const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
  return fileJob({ memory, clock, ageLimits, database, log, monthWriter }).run()
}
const days = async () =>
  (
    await database.sql<{ day: string }[]>`
    select period as day from files where length(period) = 10`
  ).map(({ day }) => day)

describe('the job that creates the file of a day', () => {
  test('creates none if nothing has been observed', async () => {
    await run()
    expect(await days()).toEqual([])
  })

  test('creates that of the day before once it has settled, one from several processes', async () => {
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

  test('reports a database that is unreachable', async () => {
    const { memory, clock } = world
    const gone = await freshDatabase()
    await gone.close()
    const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
    const job = fileJob({ memory, clock, ageLimits, database: gone, log, monthWriter })
    await expect(job.run()).rejects.toMatchObject({ code: 'database_unavailable' })
  })
})

describe('a file that is slow to create', () => {
  const DAY = '2026-02-01'
  const BYTES = new Uint8Array([1, 2, 3])

  test('is refused as unfinished, with a time to retry, and is finished nevertheless', async () => {
    const files = filesOf(database, 100)
    const { promise, resolve } = Promise.withResolvers<void>()
    const about = { period: DAY, edition: 1, knownMs: 0 }
    const late = files.keep({
      ...about,
      make: async (_past, put) => {
        await promise
        await put(BYTES)
        return 3
      },
    })
    await expect(late).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 10 })
    expect(await files.find(DAY, 1)).toBeNull()
    resolve()
    await until('the file', async () => (await days()).includes(DAY))
    const patient = filesOf(database)
    const make = () => Promise.reject(new Error('made again'))
    const file = await patient.keep({ ...about, make })
    expect(file).toMatchObject({ rows: 3, bytes: 3, edition: 1, editions: 1 })
    expect(await patient.part(file, 0)).toEqual(BYTES)
    expect(await patient.part(file, 1)).toBeNull()
  })
})
