import { readCatalogueFile } from '~/file/catalogue.ts'
import { openObservationFile } from '~/file/observations.ts'
import { readReferenceFile } from '~/file/references.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import {
  sampleCatalogue,
  sampleObservations,
  sampleReferences,
  sampleShiftDays,
} from '~/sample/sample.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'

/** Parts of the sample to keep, so that an example is readable and still a whole response. */
const PROVIDER_IDS = ['central-bank-of-kenya', 'remitly', 'sendwave', 'western-union', 'wise']
const CODES = ['GBP', 'KES', 'NGN', 'UGX', 'USD', 'USDT']

/** Puts a small part of the sample into a database, moved so that it ends at `nowMs`. */
export async function loadExampleSample(database: Database, nowMs: number): Promise<void> {
  const shiftDays = sampleShiftDays(nowMs)
  const whole = sampleCatalogue('https://corridor.example')
  const kept = {
    currencies: whole.currencies.filter(({ code }) => CODES.includes(code)),
    providers: whole.providers.filter(({ id }) => PROVIDER_IDS.includes(id)),
  }
  const catalogues = createCatalogueStore(database)
  await catalogues.apply(readCatalogueFile(JSON.stringify(kept)))
  const catalogue = new CatalogueIndex(await catalogues.load())
  const references = linesOf(sampleReferences(shiftDays), (line) =>
    CODES.some((code) => line.includes(`,${code},`)),
  )
  await importReferences({ database, rows: rowsOf(readReferenceFile(references, nowMs)) })
  const observations = linesOf(sampleObservations(shiftDays), (line) => {
    const [provider, from, to] = line.split(',')
    return PROVIDER_IDS.includes(provider!) && CODES.includes(from!) && CODES.includes(to!)
  })
  const rules = { catalogue, nowMs, defaultEffectiveMs: nowMs }
  const { batches } = await openObservationFile(observations, rules)
  await database.sql.unsafe(
    `alter table observations alter recorded_at set default to_timestamp(${nowMs / 1000})`,
  )
  await importObservations({ database, rows: rowsOf(batches) })
}

/** The header of a CSV file and the lines to keep. */
function linesOf(
  file: ReadableStream<Uint8Array>,
  isKept: (line: string) => boolean,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async start(controller) {
      const [header, ...lines] = (await new Response(file).text()).trimEnd().split('\n')
      controller.enqueue(encoder.encode(`${[header, ...lines.filter(isKept)].join('\n')}\n`))
      controller.close()
    },
  })
}

async function* rowsOf<T>(batches: AsyncIterable<{ readonly rows: readonly T[] }>) {
  for await (const { rows } of batches) yield rows
}
