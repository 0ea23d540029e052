import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '~/clock.ts'
import { loadConfig } from '~/config.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { pruneObservations } from '~/jobs/prune-observations.ts'
import { pruningJob } from '~/runtime/people/people.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { createUploadStore } from '~/store/recording/upload-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { until } from '../../support/until.ts'
import type { Member, PeopleWorld } from '../people-world.ts'
import { textOf } from '../portal-world.ts'
import { PRICES, pasted, pricesWorlds, record, treasurer } from './prices-world.ts'

const HEADER = 'provider\tfrom\tto\trate\teffective_from'
const table = (...rows: string[]) => [HEADER, ...rows].join('\n')
const DATA = '/developer/profile/data.json'

let world: PeopleWorld
let replica: PeopleWorld
let ada: Member

beforeAll(async () => {
  ;[world, replica] = await pricesWorlds()
  ada = await treasurer(world)
}, 120_000)
afterAll(async () => {
  await replica.stop()
  await world.stop()
}, 120_000)

const own = async () => JSON.parse((await ada.visitor.get(DATA)).html)

const job = () =>
  pruningJob(
    { clock: world.clock, config: loadConfig({}) },
    {
      store: createPortalStore(world.database),
      applications: { connections: createConnectionStore(world.database, []) },
      uploads: createUploadStore(world.database),
    },
  )

test('the personal data names uploads, previews and remembered columns', async () => {
  await record(ada.visitor, await pasted(ada.visitor, table('retail-a\tEUR\tKES\t150\t')))
  await pasted(ada.visitor, table('retail-a\tEUR\tKES\t151\t', 'retail-b\tEUR\tKES\t152\t'))
  const { uploads, previews, table_layouts } = await own()
  expect(uploads).toEqual([
    {
      ...{ file: 'Pasted table', sent_by: ada.email, rows: 1, withdrawn_at: null },
      recorded_at: new Date(world.clock.now()).toISOString(),
    },
  ])
  expect(previews).toMatchObject([{ file: 'Pasted table', sent_by: ada.email, rows: 2 }])
  expect(table_layouts).toMatchObject([
    {
      header: ['provider', 'from', 'to', 'rate', 'effective from'],
      read_as: ['provider_id', 'from', 'to', 'rate', 'effective_from'],
    },
  ])
  expect(textOf((await ada.visitor.get('/privacy')).html)).toContain('Tables of prices')
})

test('previews are deleted hours after they were sent, and newer ones stay', async () => {
  await pasted(ada.visitor, table('retail-a\tEUR\tUGX\t4100\t'))
  world.clock.advance(90 * 60_000)
  const newer = await pasted(ada.visitor, table('retail-a\tEUR\tUGX\t4101\t'))
  world.clock.advance(31 * 60_000)
  await job().run()
  const left = await world.database.sql`select id::text from upload_drafts`
  expect(left.map(({ id }) => id)).toEqual([newer.split('=').at(-1)])
})

test('an upload is deleted with its prices, and one with a newer price stays', async () => {
  const year = new Date(systemClock.now()).getUTCFullYear()
  const old = `retail-a\tGBP\tKES\t170\t${year - 3}-03-05T14:00:00Z`
  const newer = `retail-a\tGBP\tKES\t171\t${year - 1}-12-05T14:00:00Z`
  await record(ada.visitor, await pasted(ada.visitor, table(old)))
  world.clock.advance(1000)
  await record(ada.visitor, await pasted(ada.visitor, table(old.replace('14:', '15:'), newer)))
  const before = (await own()).uploads.length
  const store = createRetentionStore(world.database)
  const rollups = createRollupStore(world.database)
  await pruneObservations({ store, rollups, clock: world.clock, actor: 'a test' }, 2)
  const { uploads } = await own()
  expect(uploads).toHaveLength(before - 1)
  expect(uploads.at(-1)).toMatchObject({ rows: 2 })
})

test('implausible rates are recorded once a person accepts them, and not before', async () => {
  await createReferenceStore(world.database).append({
    source: 'ecb',
    fetchedMs: world.clock.now() - HOUR_MS,
    rates: [{ currency: 'KES', perUsd: '129' }],
  })
  const preview = await pasted(ada.visitor, table('retail-b\tUSD\tKES\t1.29\t'))
  const look = async () => (await ada.visitor.get(preview)).html
  await until('a doubt', async () => textOf(await look()).includes('Accept 1 implausible rate'))
  expect(await look()).not.toContain(`action="${PRICES}/record"`)
  const accepted = { only: 'accept' }
  const { location } = await ada.visitor.submit(preview, accepted, `${PRICES}/preview`)
  expect((await record(ada.visitor, location!)).location).toContain('said=recorded')
  const [row] = await world.database.sql`select rate from observations order by id desc limit 1`
  expect(row).toEqual({ rate: '1.29' })
})
