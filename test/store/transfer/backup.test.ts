import { describe, expect, test } from 'bun:test'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { writeBackup } from '~/store/transfer/backup.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { inArrays, observation } from '../samples.ts'

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
