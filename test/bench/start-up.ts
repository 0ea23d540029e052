import { $ } from 'bun'
import { HOUR_MS } from '~/domain/duration.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { keyOf } from './accounts.ts'
import { dataset, PER_USD, perUsdAt } from './dataset.ts'
import { OFFERS } from './http/offers.ts'
import { residentMb, serve } from './process.ts'
import { type Figure, median } from './table.ts'

/**
 * Time from the start of the process to its first response, on a full history: starting the
 * embedded database and loading memory. Compared with the same start on a history a tenth as long,
 * and on one whose quotes all have offers.
 */
export async function startUp(dir: string, { rows, rounds }: Sizes): Promise<Figure[]> {
  const empty = `${dir}/empty`
  await inDatabase(empty, migrate)
  const copy = async (name: string, rows: number, offers?: readonly Offer[]) => {
    await $`cp -a ${empty} ${dir}/${name}`
    await inDatabase(`${dir}/${name}`, (database) => fill(database, rows, offers))
    return `${dir}/${name}`
  }
  const short = await copy('short', rows / 10)
  const long = await copy('long', rows)
  const offers = await copy('offers', rows, OFFERS)
  const times = { short: [] as number[], long: [] as number[], offers: [] as number[] }
  const memory = { long: [] as number[], offers: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.short.push((await measured(short)).ms)
    for (const [name, home] of [
      ['long', long],
      ['offers', offers],
    ] as const) {
      const { ms, mb } = await measured(home)
      times[name].push(ms)
      memory[name].push(mb)
    }
  }
  return [
    {
      what: `start to first answer, ${rows.toLocaleString('en')} observations, ${LIVE_QUOTES.toLocaleString('en')} live quotes, hourly mids`,
      value: median(times.long),
      unit: 'ms',
      beside: { what: 'a tenth of the history', value: median(times.short) },
      goal: 'under 2,000 ms',
    },
    {
      what: 'resident memory of the service there',
      value: median(memory.long),
      unit: 'MB',
      goal: 'under 250 MB',
    },
    {
      what: `start to first answer with ${LIVE_QUOTES.toLocaleString('en')} live offers in place of plain quotes`,
      value: median(times.offers),
      unit: 'ms',
      beside: { what: 'plain quotes', value: median(times.long) },
      goal: 'under 2,000 ms',
    },
    {
      what: 'resident memory of the service there',
      value: median(memory.offers),
      unit: 'MB',
      beside: { what: 'plain quotes', value: median(memory.long) },
      goal: 'at most 1.3',
    },
  ]
}

export type Sizes = { readonly rows: number; readonly rounds: number }

const YEARS = 2
const FULL_ROWS = 1_000_000
const LIVE_QUOTES = 20_000

async function inDatabase(dataDir: string, work: (database: Database) => Promise<unknown>) {
  const say = () => {}
  const database = await openDatabase({ databaseUrl: null, dataDir, use: 'command', say })
  await work(database).finally(() => database.close())
}

async function fill(database: Database, rows: number, offers?: readonly Offer[]) {
  const nowMs = Date.now()
  const data = dataset({ liveQuotes: LIVE_QUOTES, nowMs, ...(offers && { offers }) })
  await createCatalogueStore(database).apply(data)
  await importObservations({ database, rows: asyncRows(data.rows(rows)) })
  await importReferences({ database, rows: asyncRows(hourlyMids(nowMs, rows)) })
  await keyOf(database, { plan: 'free' })
}

/** Mids of every currency for each hour of two years; for a shorter history of fewer hours. */
function* hourlyMids(nowMs: number, rows: number): Generator<ReferenceRow[]> {
  const hours = Math.floor((YEARS * 365 * 24 * rows) / FULL_ROWS)
  for (let hour = hours; hour > 0; hour--) {
    const fetchedMs = nowMs - hour * HOUR_MS
    yield Object.keys(PER_USD).map((currency) => ({
      fetchedMs,
      source: 'feed',
      currency,
      perUsd: perUsdAt(currency, fetchedMs),
    }))
  }
}

async function* asyncRows<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

async function measured(dataDir: string): Promise<{ ms: number; mb: number }> {
  const startMs = performance.now()
  const service = await serve({ DATA_DIR: dataDir })
  const reply = await fetch(`${service.url}/status`)
  const ms = performance.now() - startMs
  const { corridors } = (await reply.json()) as { corridors: number }
  if (corridors === 0) throw new Error('the service answers without its quotes')
  const { now } = await residentMb(service.pid)
  await service.stop()
  return { ms, mb: now }
}
