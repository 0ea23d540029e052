import type { Observation } from '~/domain/observation.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { connect, type Database, type Sql } from '~/store/database.ts'
import { keyOf } from './accounts.ts'
import { dataset } from './dataset.ts'
import { copied, copyText } from './import.ts'
import { serve } from './process.ts'
import { type Figure, median } from './table.ts'

const BATCH_ROWS = 100
const HOUR_MS = 3_600_000
const CLIENTS = 4
const BULK_ROWS = 10_000

type Scene = { readonly database: Database; readonly url: string }

/**
 * Rows a second through `POST /rates`, against as many rows that the driver inserts into the same
 * table in multi-row INSERTs of the same size, with the same number of clients; and through `POST
 * /rates/bulk`, against COPY of as many rows into the same table with its indexes.
 *
 * All rows are new: their times differ from those of every row before.
 */
export async function ingestion(
  { database, url }: Scene,
  { batches, rounds }: { batches: number; rounds: number },
): Promise<Figure[]> {
  const nowMs = Date.now()
  const shape = dataset({ liveQuotes: 5000, nowMs })
  await createCatalogueStore(database).apply(shape)
  const key = await keyOf(database, { plan: 'free', role: 'treasury' })
  let used = 0
  const history = () =>
    [...dataset({ liveQuotes: 5000, nowMs: nowMs - ++used }).rows(batches * BATCH_ROWS)].flat()
  const service = await serve({ DATABASE_URL: url })
  const sql = connect(url, { connectionsMax: CLIENTS })
  const post = (batch: Observation[]) => posted(`${service.url}/rates`, key, batch)
  await inTurns(partsOf(history(), BATCH_ROWS), post)
  const ids = await pairIds(sql)
  const rates = { service: [] as number[], bare: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const [bare, sent] = [history(), history()].map((rows) => partsOf(rows, BATCH_ROWS))
    rates.bare.push(await inTurns(bare!, (batch) => inserted(sql, ids, batch)))
    rates.service.push(await inTurns(sent!, post))
  }
  const bulkUrl = `${service.url}/rates/bulk`
  const each = Math.min(BULK_ROWS, batches * BATCH_ROWS)
  const list = () =>
    history().map((row, i) => ({
      ...row,
      effectiveMs: nowMs - HOUR_MS * (used + 1) - Math.floor(i / shape.liveQuotes) * 1000,
    }))
  const bulks = [
    {
      what: 'over two years',
      ...(await bulkRates(sql, { url: bulkUrl, key, rowsOf: history, rounds, each })),
    },
    {
      what: 'of two times',
      ...(await bulkRates(sql, { url: bulkUrl, key, rowsOf: list, rounds, each })),
    },
  ]
  await service.stop()
  await sql.end()
  return [
    {
      what: `rows recorded through POST /rates, ${CLIENTS} clients, 100 rows each`,
      value: median(rates.service),
      unit: 'rows/s',
      beside: { what: 'multi-row INSERT', value: median(rates.bare) },
      goal: 'at least 0.6',
    },
    ...bulks.map(({ what, service, copy }) => ({
      what: `rows ${what} through POST /rates/bulk, one client, ${each.toLocaleString('en')} each`,
      value: median(service),
      unit: 'rows/s',
      beside: { what: 'bare COPY of as many rows each', value: median(copy) },
      goal: 'at least 0.4',
    })),
  ]
}

type Bulk = {
  readonly url: string
  readonly key: string
  /** Rows that are not recorded yet. */
  readonly rowsOf: () => Observation[]
  readonly rounds: number
  /** The rows of one request. */
  readonly each: number
}

/** Rows a second of one client through `POST /rates/bulk` as CSV, and of COPY, in turns. */
async function bulkRates(sql: Sql, { url, key, rowsOf, rounds, each }: Bulk) {
  const headers = { 'x-api-key': key, 'content-type': 'text/csv' }
  const rates = { service: [] as number[], copy: [] as number[] }
  const rateOf = async <T>(parts: readonly T[], work: (part: T) => Promise<void>) => {
    const startMs = performance.now()
    for (const part of parts) await work(part)
    return (parts.length * each * 1000) / (performance.now() - startMs)
  }
  const send = async (body: string) => {
    const reply = await fetch(url, { method: 'POST', headers, body })
    const text = await reply.text()
    if (reply.status !== 200) throw new Error(`POST /rates/bulk returned ${reply.status}: ${text}`)
  }
  const parts = () => partsOf(rowsOf(), each)
  for (let round = 0; round <= rounds; round++) {
    const texts = await Promise.all(parts().map((part) => copyText(sql, [part])))
    const copy = await rateOf(texts, (text) => copied(sql, text))
    const service = await rateOf(parts().map(csvOf), send)
    if (round === 0) continue
    rates.copy.push(copy)
    rates.service.push(service)
  }
  return rates
}

const csvOf = (rows: readonly Observation[]): string =>
  `provider_id,from,to,rate,fee,fee_currency,effective_from\n${rows
    .map((row) => {
      const at = new Date(row.effectiveMs).toISOString()
      const fee = `${row.fee ?? ''},${row.feeCurrency ?? ''}`
      return `${row.providerId},${row.from},${row.to},${row.rate},${fee},${at}\n`
    })
    .join('')}`

/** Rows in parts of one size; an incomplete last part is left out. */
const partsOf = <T>(rows: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.floor(rows.length / size) }, (_, i) =>
    rows.slice(i * size, (i + 1) * size),
  )

/** Rows a second of `CLIENTS` clients working through all batches. */
async function inTurns(
  batches: readonly Observation[][],
  work: (batch: Observation[]) => Promise<void>,
): Promise<number> {
  const waiting = [...batches]
  const startMs = performance.now()
  const client = async () => {
    for (let batch = waiting.pop(); batch; batch = waiting.pop()) await work(batch)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (batches.length * BATCH_ROWS * 1000) / (performance.now() - startMs)
}

async function posted(url: string, key: string, batch: Observation[]): Promise<void> {
  const rows = batch.map((row) => ({
    provider_id: row.providerId,
    from: row.from,
    to: row.to,
    rate: Number(row.rate),
    fee: row.fee === null ? null : Number(row.fee),
    fee_currency: row.feeCurrency,
    effective_from: new Date(row.effectiveMs).toISOString(),
  }))
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(rows) })
  const text = await reply.text()
  if (reply.status !== 201) throw new Error(`POST /rates returned ${reply.status}: ${text}`)
}

type Pair = { readonly id: number; readonly corridorId: number }

/** The ids of every pair, by provider and corridor. */
export async function pairIds(sql: Sql): Promise<Map<string, Pair>> {
  const rows = await sql`
    select p.id, p.corridor_id, p.provider_id, c.source, c.target
    from provider_corridors p join corridors c on c.id = p.corridor_id`
  return new Map(
    rows.map((row) => [
      `${row.provider_id}/${row.source}/${row.target}`,
      { id: row.id, corridorId: row.corridor_id },
    ]),
  )
}

async function inserted(sql: Sql, ids: Map<string, Pair>, batch: Observation[]): Promise<void> {
  const rows = batch.map((row) => {
    const pair = ids.get(`${row.providerId}/${row.from}/${row.to}`)!
    return {
      effective_from: new Date(row.effectiveMs).toISOString(),
      corridor_id: pair.corridorId,
      provider_corridor_id: pair.id,
      rate_type: row.rateType,
      rate: row.rate,
      fee: row.fee,
      fee_currency: row.feeCurrency,
    }
  })
  await sql`insert into observations ${sql(rows)}`
}
