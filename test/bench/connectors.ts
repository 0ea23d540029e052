import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command, type Running, residentMb, serve } from './process.ts'
import { type Figure, percentile } from './table.ts'

const CORRIDORS = ['GBP/KES', 'GBP/NGN', 'GBP/UGX', 'EUR/KES', 'EUR/NGN', 'USD/KES', 'USD/NGN']
const RATES: Record<string, number> = { KES: 170, NGN: 1980, UGX: 4800 }
const QUOTES = 5
/** Resolution of the CPU time: hundredths of a second. */
const TICKS_PER_SECOND = 100

type Sizes = {
  readonly questions: number
  /** A power of ten. */
  readonly fileRows: number
  /** Time of the requests while nothing is read. */
  readonly calmSeconds: number
}

/**
 * Measures the cost of connectors to their service: CPU and memory of requests, with five prices in
 * each response, and how long requests wait while a file is read.
 */
export async function connectors(
  { url, dir }: { url: string; dir: string },
  { questions, fileRows, calmSeconds }: Sizes,
): Promise<Figure[]> {
  const folder = join(dir, 'connectors')
  await mkdir(join(folder, 'in'), { recursive: true })
  const settings = { DATABASE_URL: url, CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1' }
  await command(['catalogue', 'starter'], settings)
  let asked = 0
  const { promise: served, resolve: serves } = Promise.withResolvers<Running>()
  const start = Promise.withResolvers<Spent>()
  const partner = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (asked++ === 0) start.resolve(await spentBy(await served))
      await start.promise
      const to = new URL(request.url).searchParams.get('to')!
      const quotes = Array.from({ length: QUOTES }, (_, i) => ({ rate: RATES[to]! + i, fee: i }))
      return Response.json({ quotes })
    },
  })
  const amounts = Array.from({ length: Math.ceil(questions / CORRIDORS.length) }, (_, i) => i + 1)
  const asks = `{ corridor: [${CORRIDORS}], amount: [${amounts}] }`
  const from = `{ url: "${partner.url}?to={to}", each: ${asks} }`
  await writeFile(join(folder, 'rest.yaml'), connector('rest', from, REST))
  await writeFile(join(folder, 'file.yaml'), connector('file', '{ url: "file:in/*" }', FILE))
  await arrived(join(folder, 'in/first.csv'), 1)
  const service = await serve(settings)
  try {
    serves(service)
    const before = await start.promise
    await untilAsked(service.url)
    const secondsEach = ((await spentBy(service)).seconds - before.seconds) / asked
    const { peak } = await residentMb(service.pid)
    const waits = await waitsDuring(service.url, async () => {
      await arrived(join(folder, 'in/prices.csv'), fileRows)
      await untilRecorded(service.url, fileRows)
    })
    const calm = await waitsDuring(service.url, () => Bun.sleep(1000 * calmSeconds))
    return [
      figure('CPU of 1,000 questions with five prices each', 1000 * secondsEach, 's'),
      figure('memory that they add at most', peak - before.mb, 'MB'),
      {
        what: `longest wait of a request while a file of ${fileRows.toLocaleString('en')} rows is read and recorded`,
        ...{ value: percentile(waits, 100), unit: 'ms' },
        beside: { what: 'while nothing is', value: percentile(calm, 100) },
      },
      {
        what: 'its 99th percentile',
        ...{ value: percentile(waits, 99), unit: 'ms' },
        beside: { what: 'while nothing is', value: percentile(calm, 99) },
      },
    ]
  } finally {
    await service.stop()
    await partner.stop(true)
  }
}

const figure = (what: string, value: number, unit: string): Figure => ({ what, value, unit })

const REST = `format: json
rows: quotes
row: { from: ask.from, to: ask.to, rate: rate, fee: fee, amount_min: ask.amount + fee / 100 }`
const FILE = `format: csv
row: { from: From, to: To, rate: Rate, effective_from: At, notes: '"as of " & At' }`

const connector = (name: string, from: string, form: string) => `name: ${name}
provider: wise
from: ${from}
${form}
terms: ours
schedule: "* * * * * *"
`

/** Writes a file that is a minute old, with a price for each of the last minutes. */
async function arrived(path: string, length: number): Promise<void> {
  const nowMs = Date.now()
  const rows = Array.from(
    { length },
    (_, i) => `GBP,KES,171.5,${new Date(nowMs - (i + 2) * 60_000).toISOString()}\n`,
  )
  await writeFile(path, `From,To,Rate,At\n${rows.join('')}`)
  await utimes(path, nowMs / 1000 - 60, nowMs / 1000 - 60)
}

/** Resolves once the polling connector has run without an error. */
const untilAsked = (url: string): Promise<void> =>
  untilShown(url, /connector_success_age_seconds\{connector="rest"\}/)

/** Resolves once all rows of the file are recorded. */
const untilRecorded = (url: string, rows: number): Promise<void> =>
  untilShown(url, new RegExp(`rows_total\\{.*outcome="recorded"\\} 1[0-9]{${Math.log10(rows)}}`))

/** Resolves once `/metrics` shows a sample; throws if a connector has failed. */
async function untilShown(url: string, sample: RegExp): Promise<void> {
  while (true) {
    const metrics = await (await fetch(new URL('/metrics', url))).text()
    const [failed] = /connector_failing\{.*\} 1/.exec(metrics) ?? []
    if (failed) throw new Error(`a connector failed: ${failed}`)
    if (sample.test(metrics)) return
    await Bun.sleep(500)
  }
}

/** The time in milliseconds of each request, one after another, while some work runs. */
async function waitsDuring(url: string, work: () => Promise<unknown>): Promise<number[]> {
  let isOver = false
  const worked = work().finally(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) {
    const startMs = performance.now()
    await (await fetch(new URL('/healthz', url))).arrayBuffer()
    waits.push(performance.now() - startMs)
    await Bun.sleep(5)
  }
  await worked
  return waits
}

type Spent = { readonly seconds: number; readonly mb: number }

/** CPU time of all threads of a service so far, and its memory now. */
async function spentBy({ pid }: Running): Promise<Spent> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  const { now: mb } = await residentMb(pid)
  return { seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, mb }
}
