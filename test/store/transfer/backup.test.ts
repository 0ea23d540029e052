import { describe, expect, test } from 'bun:test'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { record, sealAll } from '../evidence/scene.ts'
import {
  databasesOfFile,
  inArrays,
  inBulk,
  NOW_MS,
  observation,
  stockedDatabase,
} from '../samples.ts'

const ROWS = 30_000
/** Ways to accept written data: at once, later, and in a turn of its own. */
const WRITERS = [
  async () => {},
  () => new Promise<void>((resolve) => setImmediate(resolve)),
  () => new Promise<void>((resolve) => queueMicrotask(resolve)),
]

describe('writeBackup', () => {
  test(
    'finishes with tables of many packets, however slowly they are read',
    async () => {
      const database = await freshDatabase()
      const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
      await createCatalogueStore(database).apply(catalogue)
      const nowMs = Date.now()
      const [{ id, rateType }] = PROVIDERS as [(typeof PROVIDERS)[number]]
      const rows = Array.from({ length: ROWS }, (_, i) =>
        observation({ providerId: id, rateType, effectiveMs: nowMs - i * 600_000 }),
      )
      await importObservations({ database, rows: inArrays(rows, 1000) })
      for (const taken of WRITERS) {
        let lines = 0
        await writeBackup(database, async (text) => {
          for (const byte of Buffer.from(text)) if (byte === 10) lines++
          await taken()
        })
        expect(lines).toBeGreaterThan(ROWS)
      }
      await database.close()
    },
    TEST_MS_MAX,
  )
})

describe('restoreBackup', () => {
  const [newDatabase, emptyDatabase] = [databasesOfFile(stockedDatabase), databasesOfFile()]

  /** Records an observation, and returns its id. */
  const newId = async (database: FreshDatabase) => (await record(database, '129')).ids[0]!

  /** The id that a database restored from a backup gives to its first observation. */
  async function nextIdAfter(database: FreshDatabase): Promise<number> {
    let text = ''
    await writeBackup(database, async (part) => {
      text += Buffer.from(part)
    })
    const restored = await emptyDatabase()
    await restoreBackup(restored, inOrder(text.trimEnd().split('\n')))
    return newId(restored)
  }

  async function* inOrder(lines: readonly string[]): AsyncGenerator<string> {
    yield* lines
  }

  const deleted = (database: FreshDatabase, id: number) =>
    inBulk(database, (tx) => tx`delete from observations where id = ${id}`)

  test(
    'gives no observation the id of another that was withdrawn, or is gone but sealed or uploaded',
    async () => {
      const database = await newDatabase()
      const { account } = await createAccountStore(database).create({
        ...{ email: 'bank@example.com', plan: 'pro', role: 'treasury' },
        ...{ keyName: 'first', keyHash: 'a'.repeat(64) },
      })
      await newId(database)
      const withdrawn = await newId(database)
      const withdrawal = { ids: [withdrawn], reason: 'wrong', recorder: null, atMs: NOW_MS }
      await createWithdrawalStore(database).withdraw(withdrawal)
      expect(await nextIdAfter(database)).toBe(withdrawn + 1)
      const sealed = await newId(database)
      await sealAll(database)
      await deleted(database, sealed)
      expect(await nextIdAfter(database)).toBe(sealed + 1)
      const uploaded = await newId(database)
      await database.sql`
        insert into uploads (id, account_id, file_name, recorded_at, since, until, ids) values
          (gen_random_uuid(), ${account.id}, 'prices.csv', now(), now(), now(), ${[uploaded]})`
      await deleted(database, uploaded)
      expect(await nextIdAfter(database)).toBe(uploaded + 1)
    },
    TEST_MS_MAX,
  )
})
