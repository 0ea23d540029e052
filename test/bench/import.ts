import type { Observation } from '~/domain/observation.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { copyIn } from '~/store/copy-in.ts'
import type { Database, Sql } from '~/store/database.ts'
import { copyLine, instantText } from '~/store/encoding.ts'
import { dataset } from './dataset.ts'
import { pairIds } from './ingestion.ts'
import { command } from './process.ts'
import { type Figure, median } from './table.ts'

/**
 * Rows a second of `corridor observations import`, the whole command, beside a bare COPY of the
 * same rows, prepared as text before, into the same table.
 */
export async function importing(
  { database, url, dir }: { database: Database; url: string; dir: string },
  { rows, rounds }: { rows: number; rounds: number },
): Promise<Figure[]> {
  const data = dataset({ liveQuotes: 5000, nowMs: Date.now() })
  await createCatalogueStore(database).apply(data)
  const file = `${dir}/observations.csv`
  await writeCsv(file, data.rows(rows))
  const settings = { DATABASE_URL: url }
  await command(['observations', 'import', file, '--json'], settings)
  const text = await copyText(database.sql, data.rows(rows))
  const rates = { command: [] as number[], copy: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.copy.push(await rate(rows, () => copied(database.sql, text)))
    const importing = () => command(['observations', 'import', file, '--json'], settings)
    rates.command.push(await rate(rows, importing))
  }
  return [
    {
      what: `rows imported from a CSV of ${rows.toLocaleString('en')}, whole command`,
      value: median(rates.command),
      unit: 'rows/s',
      beside: { what: 'bare COPY', value: median(rates.copy) },
      goal: 'at least 0.4',
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

/** The rows as the text that a COPY takes, in pieces. */
async function copyText(sql: Sql, batches: Iterable<Observation[]>): Promise<string[]> {
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

async function copied(sql: Sql, text: readonly string[]): Promise<void> {
  await sql.begin(async (tx) => {
    const copy = await copyIn(tx, COPY)
    for (const lines of text) await copy.write(lines)
    await copy.finish()
  })
}
