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
 * same rows, prepared as text before, into the same table; and of the same file once more.
 */
export async function importing(
  { database, url, dir }: { database: Database; url: string; dir: string },
  { rows, rounds }: { rows: number; rounds: number },
): Promise<Figure[]> {
  const nowMs = Date.now()
  const data = dataset({ liveQuotes: 5000, nowMs })
  await createCatalogueStore(database).apply(data)
  const file = `${dir}/observations.csv`
  const settings = { DATABASE_URL: url }
  const importing = () => command(['observations', 'import', file, '--json'], settings)
  await writeCsv(file, data.rows(rows))
  await importing()
  const text = await copyText(database.sql, data.rows(rows))
  const rates = { command: [] as number[], again: [] as number[], copy: [] as number[] }
  for (let round = 1; round <= rounds; round++) {
    rates.copy.push(await rate(rows, () => copied(database.sql, text)))
    const earlier = dataset({ liveQuotes: 5000, nowMs: nowMs - round })
    await writeCsv(file, earlier.rows(rows))
    rates.command.push(await rate(rows, importing))
    rates.again.push(await rate(rows, importing))
  }
  const beside = { what: 'bare COPY', value: median(rates.copy) }
  const shown = rows.toLocaleString('en')
  return [
    {
      what: `rows imported from a CSV of ${shown}, whole command`,
      value: median(rates.command),
      unit: 'rows/s',
      beside,
      goal: 'at least 0.4',
    },
    {
      what: `the same ${shown} rows again, all there already`,
      value: median(rates.again),
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
