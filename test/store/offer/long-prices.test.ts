import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { offer } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, inArrays, NOW_MS, observation, stockedDatabase } from '../samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)

/** A row that is valid for this many days. */
const valid = (days: number | null, more: Partial<Observation> = {}): Observation => {
  const row = observation(more)
  const validUntilMs = days === null ? null : row.effectiveMs + days * DAY_MS
  return { ...row, offer: offer({ validUntilMs }) }
}

const ROWS = [valid(32), valid(null), valid(33), observation(), valid(400), valid(0)]
const LONG = 2

const longIn = async ({ sql }: FreshDatabase) => [
  ...(await sql`select * from long_prices order by id`),
]

const expected = async ({ sql }: FreshDatabase) => [
  ...(await sql`
    select corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
    from observations where valid_until > effective_from + interval '768 hours' order by id`),
]

/** Records rows as versions without long prices do. */
async function recordAsBefore({ sql }: FreshDatabase): Promise<void> {
  await sql`
    insert into observations
      (effective_from, corridor_id, provider_corridor_id, rate_type, rate, valid_until)
    select at, corridor_id, id, 'retail', 129, at + make_interval(days => 33)
    from provider_corridors, (select now() - interval '1 day' as at) moment`
}

describe('long prices', () => {
  test('are stored separately by a batch, an import and an older version', async () => {
    const database = await newDatabase()
    await createObservationStore(database).record({ observations: ROWS, idempotency: null })
    expect(await longIn(database)).toEqual(await expected(database))
    expect(await longIn(database)).toHaveLength(LONG)
    await importObservations({ database, rows: inArrays(ROWS) })
    expect(await longIn(database)).toHaveLength(2 * LONG)
    await recordAsBefore(database)
    expect(await longIn(database)).toHaveLength(2 * LONG + 1)
    expect(await longIn(database)).toEqual(await expected(database))
  })

  test('are stored separately by the store if there is no trigger', async () => {
    const database = await newDatabase()
    await database.sql`drop trigger observations_long on observations`
    await createObservationStore(database).record({ observations: ROWS, idempotency: null })
    await importObservations({ database, rows: inArrays(ROWS) })
    expect(await longIn(database)).toEqual(await expected(database))
    expect(await longIn(database)).toHaveLength(2 * LONG)
  })

  test('refuse changes, and are deleted with their observations', async () => {
    const database = await newDatabase()
    const old = { effectiveMs: NOW_MS - 3000 * DAY_MS }
    const observations = [valid(40, old), valid(33, old), valid(null, old)]
    await createObservationStore(database).record({ observations, idempotency: null })
    for (const change of ['delete from', 'truncate', 'update'])
      expect(
        await database.sql
          .unsafe(`${change} long_prices ${change === 'update' ? 'set id = 1' : ''}`)
          .then(String, ({ message }: Error) => message),
      ).toContain('append-only')
    await database.sql`
      select prune_observations(id, now() - interval '2 years', 10) from provider_corridors`
    expect(await longIn(database)).toEqual(await expected(database))
    expect(await longIn(database)).toEqual([])
  })
})
