import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command, residentMb, serve } from './process.ts'
import { type Figure, percentile } from './table.ts'

const FILE_ROWS = 10_000
const CORRIDORS = ['GBP/KES', 'GBP/NGN', 'GBP/UGX', 'EUR/KES', 'EUR/NGN', 'USD/KES', 'USD/NGN']
const RATES: Record<string, number> = { KES: 170, NGN: 1980, UGX: 4800 }
const QUOTES = 5
/** CPU time is told in hundredths of a second. */
const TICKS_PER_SECOND = 100

/**
 * Measures the cost of connectors to their service: CPU and memory of requests, with five prices in
 * each response, and how long requests wait while a file of 10,000 rows is read.
 */
export async function connectors(
  { url, dir }: { url: string; dir: string },
  { questions }: { questions: number },
): Promise<Figure[]> {
  const folder = join(dir, 'connectors')
  await mkdir(join(folder, 'in'), { recursive: true })
  const settings = { DATABASE_URL: url, CONNECTORS: folder, CONNECTORS_ALLOW: '127.0.0.1' }
  await command(['catalogue', 'starter'], settings)
  let asked = 0
  const partner = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      asked++
      const to = new URL(request.url).searchParams.get('to')!
      const quotes = Array.from({ length: QUOTES }, (_, i) => ({ rate: RATES[to]! + i, fee: i }))
      return Response.json({ quotes })
    },
  })
  const service = await serve(settings)
  try {
    const amounts = Array.from({ length: Math.ceil(questions / CORRIDORS.length) }, (_, i) => i + 1)
    const asks = `{ corridor: [${CORRIDORS}], amount: [${amounts}] }`
    const before = await cpuSeconds(service.pid)
    const memory = await residentMb(service.pid)
    await writeFile(
      join(folder, 'rest.yaml'),
      connector('rest', `{ url: "${partner.url}?to={to}", each: ${asks} }`, REST),
    )
    await untilRun(service.url, 'rest')
    const seconds = (await cpuSeconds(service.pid)) - before
    const { peak } = await residentMb(service.pid)
    const waits = await waitsDuring(service.url, async () => {
      const path = join(folder, 'in/prices.csv')
      await writeFile(path, table())
      await utimes(path, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
      await writeFile(join(folder, 'file.yaml'), connector('file', '{ url: "file:in/*" }', FILE))
      await untilRun(service.url, 'file')
    })
    const calm = await waitsDuring(service.url, () => Bun.sleep(5000))
    return [
      figure('CPU of 1,000 questions with five prices each', (1000 * seconds) / asked, 's'),
      figure('memory that they add at most', peak - memory.now, 'MB'),
      {
        what: 'longest wait of a request while a file of 10,000 rows is read and recorded',
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

/** A price for each of the last minutes. */
function table(): string {
  const nowMs = Date.now()
  const rows = Array.from(
    { length: FILE_ROWS },
    (_, i) => `GBP,KES,171.5,${new Date(nowMs - (i + 2) * 60_000).toISOString()}\n`,
  )
  return `From,To,Rate,At\n${rows.join('')}`
}

/** Resolves once a connector has run without a fault. */
async function untilRun(url: string, name: string): Promise<void> {
  while (true) {
    const metrics = await (await fetch(new URL('/metrics', url))).text()
    if (metrics.includes(`corridor_connector_failing{connector="${name}"} 1`))
      throw new Error(`the connector ${name} failed`)
    if (metrics.includes(`corridor_connector_success_age_seconds{connector="${name}"}`)) return
    await Bun.sleep(500)
  }
}

/**
 * The time that each request took, one after another, while some work was done, in milliseconds.
 */
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

/** The time that a process has spent on a CPU, all of its threads together. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
