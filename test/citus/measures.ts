import { join } from 'node:path'
import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { type Client, connectClient } from '../bench/client.ts'
import { wander } from '../bench/dataset.ts'
import { command, type Running, serve } from '../bench/process.ts'
import { median } from '../bench/table.ts'
import { applyCatalogue, type Side } from './sides.ts'

export type Sizes = {
  readonly rows: number
  /** Number of times that each query is sent to each side. */
  readonly asks: number
}

/** One row of the table: the value of each side. */
export type Measure = {
  readonly what: string
  readonly unit: string
  readonly values: readonly number[]
}

/** A side with a service on it. */
type Served = { readonly side: Side; readonly service: Running }

type Stage = Sizes & { readonly sides: readonly Side[]; readonly folder: string; nowMs: number }

const SOURCES = 25
const TARGETS = 20
const PROVIDERS = 10
/** The number of files of rows, each imported into one side after the other. */
const FILES = 4
const STARTS = 5
const WARM_UP = 5
const BATCH_ROWS = 100
const SETTINGS = { MID_MAX_AGE: '30d', QUOTA_ENTERPRISE: '1000000000' }

const letters = (i: number): string =>
  String.fromCharCode(65 + Math.floor(i / 26)) + String.fromCharCode(65 + (i % 26))
const sources = Array.from({ length: SOURCES }, (_, i) => `Q${letters(i)}`)
const targets = Array.from({ length: TARGETS }, (_, i) => `R${letters(i)}`)
const providers = Array.from({ length: PROVIDERS }, (_, i) => `table-${i}`)
const corridors = sources.flatMap((from) => targets.map((to) => ({ from, to })))
const pairs = providers.flatMap((providerId) =>
  corridors.map((corridor) => ({ ...corridor, providerId })),
)
const perUsd = Object.fromEntries([...sources, ...targets].map((code, i) => [code, 1 + i / 10]))

/** Measures one side against the other, each metric in turns. */
export async function measures(
  sides: readonly Side[],
  { folder, ...sizes }: Sizes & { readonly folder: string },
): Promise<Measure[]> {
  const stage = { ...sizes, sides, folder, nowMs: Date.now() }
  const imported = await imports(stage)
  const sizesOf = await Promise.all(sides.map((side) => bytesOf(side)))
  const starts = await readyTimes(stage)
  const served: Served[] = []
  try {
    for (const side of sides) {
      const service = await serve({ ...SETTINGS, DATABASE_URL: side.url })
      served.push({ side, service })
    }
    return [
      { what: 'import', unit: 'rows/s', values: imported },
      ...(await questionTimes(stage, served)),
      ...(await postTimes(stage, served)),
      { what: 'ready on start', unit: 'ms', values: starts },
      {
        what: 'an observation, with indexes and roll-ups',
        unit: 'bytes',
        values: sizesOf.map((bytes) => bytes / sizes.rows),
      },
    ]
  } finally {
    for (const { service } of served) await service.stop()
  }
}

/** The measures as a Markdown table, with the ratio of the second side to the first. */
export function tableOf(names: readonly string[], lines: readonly Measure[]): string {
  const shown = (value: number) =>
    value >= 1000 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(3))}`
  const rows = lines.map(({ what, unit, values: [a, b] }) => [
    `${what}, ${unit}`,
    shown(a!),
    shown(b!),
    (b! / a!).toFixed(2),
  ])
  const head = ['p50', ...names, `${names[1]} / ${names[0]}`]
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Rows a second of the command, all files together. */
async function imports({ sides, folder, rows, nowMs }: Stage): Promise<number[]> {
  const catalogue = {
    currencies: [...sources, ...targets].map((code) => ({ code, name: `The ${code}` })),
    providers: providers.map((id) => ({ id, name: id, provider_type: 'imto' })),
  }
  for (const side of sides) {
    await applyCatalogue(side, { folder, catalogue })
    const file = join(folder, 'references.csv')
    await Bun.write(file, references(nowMs))
    await command(['reference', 'import', file], { DATABASE_URL: side.url })
  }
  const spentMs = sides.map(() => 0)
  const all = wander(pairs, { count: rows, nowMs, perUsd })
  for (let i = 0; i < FILES; i++) {
    const file = join(folder, `rows-${i}.csv`)
    await writeCsv(file, all, rows / FILES)
    for (const [s, { url }] of sides.entries()) {
      const startMs = performance.now()
      await command(['observations', 'import', file], { DATABASE_URL: url })
      spentMs[s]! += performance.now() - startMs
    }
  }
  for (const { sql } of sides) await sql`vacuum (analyze) observations`
  return spentMs.map((ms) => (rows * 1000) / ms)
}

/** Daily references of two years. */
function references(nowMs: number): string {
  const lines = ['fetched_at,source,currency,per_usd']
  for (let atMs = nowMs - 730 * DAY_MS; atMs < nowMs; atMs += DAY_MS)
    for (const [code, value] of Object.entries(perUsd))
      lines.push(`${new Date(atMs).toISOString()},table,${code},${value}`)
  return `${lines.join('\n')}\n`
}

async function writeCsv(
  file: string,
  batches: Iterator<Observation[]>,
  count: number,
): Promise<void> {
  const sink = Bun.file(file).writer()
  sink.write('provider_id,from,to,rate,fee,fee_currency,effective_from\n')
  for (let left = count; left > 0; ) {
    const { value, done } = batches.next()
    if (done) break
    for (const { providerId, from, to, rate, fee, feeCurrency, effectiveMs } of value) {
      const at = new Date(effectiveMs).toISOString()
      sink.write(`${csvLine([providerId, from, to, rate, fee ?? '', feeCurrency ?? '', at])}\n`)
    }
    left -= value.length
  }
  await sink.end()
}

/** Bytes of observations and roll-ups, on all nodes. */
async function bytesOf({ sql }: Side): Promise<number> {
  const [found] = await sql`
    select exists (select from pg_extension where extname = 'citus') as is_citus`
  const size = found!.is_citus ? 'citus_total_relation_size' : 'pg_total_relation_size'
  const [sum] = await sql.unsafe(`
    select sum(${size}(relid)) as bytes from (
      select relid from pg_partition_tree('observations') where isleaf
      union all select 'rollups'::regclass) parts`)
  return Number(sum!.bytes)
}

async function readyTimes({ sides }: Stage): Promise<number[]> {
  const times = sides.map(() => [] as number[])
  for (let i = 0; i < STARTS; i++)
    for (const [s, { url }] of sides.entries()) {
      const startMs = performance.now()
      const service = await serve({ ...SETTINGS, DATABASE_URL: url })
      times[s]!.push(performance.now() - startMs)
      await service.stop()
    }
  return times.map(median)
}

type Asking = { readonly what: string; ask(served: Served, i: number): Promise<unknown> }

/** Sends each request to one side after the other, some of them before it counts. */
async function inTurns(asking: Asking, served: readonly Served[], asks: number): Promise<Measure> {
  const times = served.map(() => [] as number[])
  for (let i = -WARM_UP; i < asks; i++)
    for (const [s, one] of served.entries()) {
      const startMs = performance.now()
      await asking.ask(one, i)
      if (i >= 0) times[s]!.push(performance.now() - startMs)
    }
  return { what: asking.what, unit: 'ms', values: times.map(median) }
}

const corridorAt = (i: number) => corridors.at((i * 7) % corridors.length)!

async function questionTimes(stage: Stage, served: readonly Served[]): Promise<Measure[]> {
  const { nowMs, asks } = stage
  const dayMs = nowMs - (nowMs % DAY_MS)
  const clients = new Map<Served, Client>()
  for (const one of served) {
    const headers = { 'x-api-key': one.side.keys.realtime }
    clients.set(one, connectClient(new URL(one.service.url), headers))
  }
  const date = (daysBack: number) => new Date(dayMs - daysBack * DAY_MS).toISOString()
  const get = (what: string, path: (i: number) => string): Asking => ({
    what,
    ask: (one, i) => {
      const { from, to } = corridorAt(i)
      return clients.get(one)!.get(`${path(i)}&from=${from}&to=${to}`)
    },
  })
  const questions = [
    get('history page of 500', () => '/rates/history?period=90d&limit=500'),
    get('time-series of 366 days', (i) => `/time-series?start=${date(366 + i)}&end=${date(i)}`),
    get('historical', (i) => `/historical?date=${date(1 + (Math.abs(i * 37) % 700)).slice(0, 10)}`),
    get('change over 90 days', () => '/change?period=90d'),
  ]
  const measured: Measure[] = []
  for (const question of questions) measured.push(await inTurns(question, served, asks))
  for (const client of clients.values()) client.close()
  return measured
}

function postTimes({ asks, nowMs }: Stage, served: readonly Served[]): Promise<Measure[]> {
  const row = (i: number, corridor: { from: string; to: string }) => ({
    ...corridor,
    provider_id: providers.at(i % PROVIDERS),
    rate: 1 + (Math.abs(i) % 1000) / 1000,
    effective_from: new Date(nowMs - 1000 + (i % 1000)).toISOString(),
  })
  const post = (what: string, rows: (i: number) => object[]): Asking => ({
    what,
    ask: ({ side, service }, i) => posted(service, side.keys.realtime, rows(i)),
  })
  const batch = (of: (k: number) => object) => Array.from({ length: BATCH_ROWS }, (_, k) => of(k))
  return [
    post('POST of 1 row', (i) => [row(i, corridorAt(i))]),
    post('POST of 100 rows of one corridor', (i) => batch((k) => row(i + k, corridorAt(i)))),
    post('POST of 100 rows of 100 corridors', (i) => batch((k) => row(i + k, corridorAt(i + k)))),
  ].reduce(
    async (done, asking) => [...(await done), await inTurns(asking, served, asks)],
    Promise.resolve([] as Measure[]),
  )
}

async function posted({ url }: Running, key: string, rows: object[]): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(rows) }
  const answer = await fetch(`${url}/rates`, init)
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`POST /rates returned ${answer.status}: ${text}`)
}
