import type { Observation } from '~/domain/observation.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { connect, type Database, type Sql } from '~/store/database.ts'
import { dataset } from './dataset.ts'
import { copied, copyText } from './import.ts'
import { command, serve } from './process.ts'
import { type Figure, median } from './table.ts'

const BATCH_ROWS = 100
const CLIENTS = 4
const BULK_ROWS = 10_000

type Scene = { readonly database: Database; readonly url: string }

/**
 * Rows a second through `POST /rates`, beside the same rows put into the same table by the driver
 * in multi-row INSERTs of the same size, with the same number of clients.
 */
export async function ingestion(
  { database, url }: Scene,
  { batches, rounds }: { batches: number; rounds: number },
): Promise<Figure[]> {
  const data = dataset({ liveQuotes: 5000, nowMs: Date.now() })
  await createCatalogueStore(database).apply(data)
  const args = ['account', 'create', '--email', 'ingest@example.com', '--role', 'treasury']
  const { key } = JSON.parse(await command([...args, '--json'], { DATABASE_URL: url }))
  const rows = batchesOf(data.rows(batches * BATCH_ROWS))
  const service = await serve({ DATABASE_URL: url })
  const sql = connect(url, { connectionsMax: CLIENTS })
  const post = (batch: Observation[]) => posted(`${service.url}/rates`, key, batch)
  await post(rows[0]!)
  await inTurns(rows, post)
  const ids = await pairIds(sql)
  const rates = { service: [] as number[], bare: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(await inTurns(rows, (batch) => inserted(sql, ids, batch)))
    rates.service.push(await inTurns(rows, post))
  }
  const bulk = await bulkRates(sql, {
    url: `${service.url}/rates/bulk`,
    key,
    batches: rows,
    rounds,
  })
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
    {
      what: `rows recorded through POST /rates/bulk, one client, ${BULK_ROWS.toLocaleString('en')} rows each`,
      value: median(bulk.service),
      unit: 'rows/s',
      beside: { what: 'bare COPY of as many rows each', value: median(bulk.copy) },
      goal: 'at least 0.4',
    },
  ]
}

type Bulk = {
  readonly url: string
  readonly key: string
  readonly batches: readonly Observation[][]
  readonly rounds: number
}

/** Rows a second of one client through `POST /rates/bulk` as CSV, and of COPY, in turns. */
async function bulkRates(sql: Sql, { url, key, batches, rounds }: Bulk) {
  const all = batches.flat()
  const parts = Array.from({ length: Math.ceil(all.length / BULK_ROWS) }, (_, i) =>
    all.slice(i * BULK_ROWS, (i + 1) * BULK_ROWS),
  )
  const bodies = parts.map(csvOf)
  const texts = await Promise.all(parts.map((part) => copyText(sql, [part])))
  const headers = { 'x-api-key': key, 'content-type': 'text/csv' }
  const rates = { service: [] as number[], copy: [] as number[] }
  const rateOf = async (work: (i: number) => Promise<void>) => {
    const startMs = performance.now()
    for (const i of parts.keys()) await work(i)
    return (all.length * 1000) / (performance.now() - startMs)
  }
  for (let round = 0; round < rounds; round++) {
    rates.copy.push(await rateOf((i) => copied(sql, texts[i]!)))
    rates.service.push(
      await rateOf(async (i) => {
        const reply = await fetch(url, { method: 'POST', headers, body: bodies[i]! })
        const text = await reply.text()
        if (reply.status !== 200) throw new Error(`POST /rates/bulk answered ${text}`)
      }),
    )
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

function batchesOf(rows: Iterable<Observation[]>): Observation[][] {
  const all = [...rows].flat()
  return Array.from({ length: Math.floor(all.length / BATCH_ROWS) }, (_, i) =>
    all.slice(i * BATCH_ROWS, (i + 1) * BATCH_ROWS),
  )
}

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
  if (reply.status !== 201) throw new Error(`POST /rates answered ${reply.status}: ${text}`)
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
