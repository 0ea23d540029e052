import type { Observation } from '~/domain/observation.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database, Sql } from '~/store/database.ts'
import { copyLine, instantText } from '~/store/encoding.ts'
import { copyIn } from '~/store/transfer/copy-in.ts'
import { dataset } from './dataset.ts'
import { pairIds } from './ingestion.ts'
import { command } from './process.ts'
import { type Figure, median } from './table.ts'

/** Age of the first rows: older than the timed rows, and young enough to be recorded. */
const PAST_MS = 2.5 * 365 * 24 * 3_600_000

/**
 * Rows a second of the whole command `corridor observations import`, against a bare COPY of as many
 * rows, prepared in advance, into the same table: of rows newer than everything recorded, of rows
 * in between, and of the same rows again.
 */
export async function importing(
  { database, url, dir }: { database: Database; url: string; dir: string },
  { rows, rounds }: { rows: number; rounds: number },
): Promise<Figure[]> {
  const nowMs = Date.now()
  const rowsUpTo = (ms: number) => dataset({ liveQuotes: 5000, nowMs: ms }).rows(rows)
  await createCatalogueStore(database).apply(dataset({ liveQuotes: 5000, nowMs }))
  const file = `${dir}/observations.csv`
  const settings = { DATABASE_URL: url }
  const importing = () => command(['observations', 'import', file, '--json'], settings)
  await writeCsv(file, rowsUpTo(nowMs - PAST_MS))
  await importing()
  const text = await copyText(database.sql, rowsUpTo(nowMs - PAST_MS))
  const rates = { copy: [] as number[], newer: [] as number[], among: [] as number[] }
  const again: number[] = []
  for (let round = 0; round < rounds; round++) {
    rates.copy.push(await rate(rows, () => copied(database.sql, text)))
    await writeCsv(file, rowsUpTo(nowMs + round))
    rates.newer.push(await rate(rows, importing))
    await writeCsv(file, rowsUpTo(nowMs - 1 - round))
    rates.among.push(await rate(rows, importing))
    again.push(await rate(rows, importing))
  }
  const beside = { what: 'bare COPY', value: median(rates.copy) }
  const shown = rows.toLocaleString('en')
  return [
    {
      what: `rows imported from a CSV of ${shown}, whole command`,
      value: median(rates.newer),
      unit: 'rows/s',
      beside,
      goal: 'at least 0.4',
    },
    {
      what: `${shown} rows among those that are recorded`,
      value: median(rates.among),
      unit: 'rows/s',
      beside,
    },
    {
      what: `the same ${shown} rows again, all there already`,
      value: median(again),
      unit: 'rows/s',
      beside,
    },
  ]
}

async function rate(rows: number, work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return (rows * 1000) / (performance.now() - startMs)
}

async function writeCsv(
  file: string,
  batches: ReturnType<ReturnType<typeof dataset>['rows']>,
): Promise<void> {
  const sink = Bun.file(file).writer()
  sink.write('provider_id,from,to,rate,fee,fee_currency,effective_from,notes\n')
  for (const batch of batches)
    for (const row of batch) {
      const at = new Date(row.effectiveMs).toISOString()
      const fee = `${row.fee ?? ''},${row.feeCurrency ?? ''}`
      sink.write(`${row.providerId},${row.from},${row.to},${row.rate},${fee},${at},\n`)
    }
  await sink.end()
}

const COPY = `copy observations (effective_from, corridor_id, provider_corridor_id, rate_type,
  rate, fee, fee_currency) from stdin`

/** The rows as the text of a COPY, in chunks. */
export async function copyText(sql: Sql, batches: Iterable<Observation[]>): Promise<string[]> {
  const ids = await pairIds(sql)
  return Array.from(batches, (batch) =>
    batch
      .map((row) => {
        const pair = ids.get(`${row.providerId}/${row.from}/${row.to}`)!
        const at = instantText(row.effectiveMs)
        const price = [row.rateType, row.rate, row.fee, row.feeCurrency]
        return copyLine([at, pair.corridorId, pair.id, ...price])
      })
      .join(''),
  )
}

export async function copied(sql: Sql, text: readonly string[]): Promise<void> {
  await sql.begin(async (tx) => {
    const copy = await copyIn(tx, COPY)
    for (const lines of text) await copy.write(lines)
    await copy.finish()
  })
}
