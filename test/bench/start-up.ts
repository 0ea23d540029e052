import { HOUR_MS } from '~/domain/duration.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { dataset, PER_USD, perUsdAt } from './dataset.ts'
import { command, residentMb, serve } from './process.ts'
import { type Figure, median } from './table.ts'

/**
 * From the start of the process to its first answer, on a full history: the embedded database is
 * started, memory loaded. Beside it the same start on a history a tenth as long.
 */
export async function startUp(dir: string, { rows, rounds }: Sizes): Promise<Figure[]> {
  const short = await filled(`${dir}/short`, rows / 10)
  const long = await filled(`${dir}/long`, rows)
  const times = { short: [] as number[], long: [] as number[] }
  const memory: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.short.push((await measured(short)).ms)
    const { ms, mb } = await measured(long)
    times.long.push(ms)
    memory.push(mb)
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
      value: median(memory),
      unit: 'MB',
      goal: 'under 250 MB',
    },
  ]
}

export type Sizes = { readonly rows: number; readonly rounds: number }

const YEARS = 2
const FULL_ROWS = 1_000_000
const LIVE_QUOTES = 20_000

async function filled(dataDir: string, rows: number): Promise<string> {
  const say = () => {}
  const database = await openDatabase({ databaseUrl: null, dataDir, use: 'command', say })
  await migrate(database)
  const nowMs = Date.now()
  const data = dataset({ liveQuotes: LIVE_QUOTES, nowMs })
  await createCatalogueStore(database).apply(data)
  await importObservations({ database, rows: asyncRows(data.rows(rows)) })
  await importReferences({ database, rows: asyncRows(hourlyMids(nowMs, rows)) })
  await database.close()
  const email = 'bench@example.com'
  await command(['account', 'create', '--email', email, '--json'], { DATA_DIR: dataDir })
  return dataDir
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
