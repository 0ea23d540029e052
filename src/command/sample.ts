import { readCatalogueFile } from '~/file/catalogue.ts'
import type { Batch } from '~/file/lines.ts'
import { openObservationFile } from '~/file/observations.ts'
import { readReferenceFile } from '~/file/references.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { sampleCatalogue, sampleObservations, sampleReferences } from '~/sample/sample.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'

type SampleOptions = {
  /** The origin that serves the flags of the catalogue. */
  readonly origin: string
  readonly shiftDays: number
  readonly nowMs: number
  say(line: string): void
}

/**
 * Loads the sample into a database, moved by `shiftDays`. The catalogue is updated each time;
 * quotes and references of an earlier start stay as they are. Reports whether it loaded any.
 */
export async function loadSample(database: Database, options: SampleOptions): Promise<boolean> {
  const { origin, shiftDays, nowMs, say } = options
  const catalogues = createCatalogueStore(database)
  const reading = readCatalogueFile(JSON.stringify(sampleCatalogue(origin)))
  if (reading.faults.length > 0) throw new Error(`the sample is broken: ${reading.faults[0]}`)
  await catalogues.apply(reading)
  const catalogue = new CatalogueIndex(await catalogues.load())
  const [held] = await database.sql`select exists (select 1 from observations) as quotes`
  if (held?.quotes) return false
  const references = await importReferences({
    database,
    rows: valid(readReferenceFile(sampleReferences(shiftDays), nowMs)),
  })
  const rules = { catalogue, nowMs, defaultEffectiveMs: nowMs }
  const file = await openObservationFile(sampleObservations(shiftDays), rules)
  const inserted = await importObservations({ database, rows: valid(file.batches) })
  say(`loaded ${inserted} observations and ${references.rates} reference rates`)
  return true
}

/**
 * Passes on valid rows of the sample. The sample is ours, so a row that is refused is our mistake.
 */
async function* valid<T>(batches: AsyncIterable<Batch<T>>): AsyncGenerator<readonly T[]> {
  for await (const { rows, rejects } of batches) {
    const [reject] = rejects
    if (reject) throw new Error(`the sample is broken at line ${reject.number}: ${reject.fault}`)
    yield rows
  }
}
