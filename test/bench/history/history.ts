import type { Database } from '~/store/database.ts'
import { readPool } from '~/store/read-pool.ts'
import { keyOf } from '../accounts.ts'
import { connectClient } from '../client.ts'
import { type Home, openHome } from '../home.ts'
import { type Running, residentMb, serve } from '../process.ts'
import { type Figure, median, percentile } from '../table.ts'
import { type Filled, filledHome } from './home.ts'
import { CORRIDORS, PROVIDERS } from './market.ts'
import { type Question, questionsAt } from './questions.ts'

const WARM_UP_MAX = 20
/**
 * Offset of the driver's queries from those of the service, so that neither warms the other's
 * cache.
 */
const SQL_AHEAD = 31

export type Sizes = {
  readonly rows: number
  readonly years: number
  readonly corridors: number
  readonly referenceHours: number
  readonly asks: number
}
type Start = { readonly ms: number; readonly mb: number }
export type Side = {
  readonly filled: Filled
  readonly home: Home
  /** Database of the statements, with the same settings as the service's own. */
  readonly reads: Database
  readonly service: Running
  readonly questions: readonly Question[]
  get(path: string): Promise<void>
  /** The body of the response, whatever its status. */
  text(path: string): Promise<string>
  close(): Promise<void>
}
export type Times = Record<'cold' | 'known' | 'sql' | 'repeated', number[]>

/**
 * Queries about the past on two histories of equal responses and equally many live quotes: one with
 * a full history in every corridor, and one with a full history in a tenth of them and a tenth of
 * the rows. Each query goes to both in turns, to one corridor after another, then to one corridor
 * repeatedly. The same is done for its SQL through the driver, and for the query with `known_at`.
 */
export async function history(
  dir: string,
  { rows, corridors, asks, starts, ...more }: Sizes & { readonly starts: number },
) {
  const all = { ...more, rows, corridors, corridorsInAll: corridors }
  const fewer = { ...all, rows: Math.floor(rows / 10), corridors: corridors / 10 }
  const both = [await filledHome(dir, fewer), await filledHome(dir, all)]
  const started = await startedInTurns(both, starts)
  const sides: Side[] = []
  try {
    for (const filled of both) sides.push(await opened(filled))
    const figures: Figure[] = []
    for (const [n, question] of sides[0]!.questions.entries()) {
      const [short, long] = await asked(sides, n, asks)
      figures.push(...figuresOf(question, millions(fewer.rows), millions(rows), [short!, long!]))
    }
    return [...figures, ...startFigures(both, started), ...(await sizeFigures(sides))]
  } finally {
    for (const side of sides) await side.close()
  }
}

/** Start-up times, from the start of the process to its first response, its database included. */
async function startedInTurns(both: readonly Filled[], rounds: number): Promise<Start[]> {
  const taken = both.map(() => [] as Start[])
  for (let round = 0; round < rounds; round++)
    for (const [i, filled] of both.entries()) taken[i]!.push(await started(filled))
  return taken.map((starts) => ({
    ms: median(starts.map(({ ms }) => ms)),
    mb: median(starts.map(({ mb }) => mb)),
  }))
}

async function started({ dataDir, corridorsInAll }: Filled): Promise<Start> {
  const startMs = performance.now()
  const service = await serve({ DATA_DIR: dataDir })
  const reply = await fetch(`${service.url}/status`)
  const ms = performance.now() - startMs
  const { corridors } = (await reply.json()) as { corridors: number }
  if (corridors !== corridorsInAll) throw new Error(`it answers with ${corridors} corridors`)
  const { now: mb } = await residentMb(service.pid)
  await service.stop()
  return { ms, mb }
}

export async function opened(filled: Filled): Promise<Side> {
  const home = await openHome(filled.dataDir)
  const reads = readPool(home.database, { connectionsMax: 4, statementMsMax: 60_000 })
  const settings = {
    ...{ DATABASE_URL: home.url, QUOTA_ENTERPRISE: '100000000', MID_MAX_AGE: '2400h' },
    LOG_SEAL_EVERY: 'off',
  }
  const key = await keyOf(home.database)
  const service = await serve(settings)
  const headers = { headers: { 'x-api-key': key } }
  const client = connectClient(new URL(service.url), headers.headers)
  return {
    ...{ filled, home, reads, service, get: client.get },
    text: async (path) => (await fetch(`${service.url}${path}`, headers)).text(),
    questions: questionsAt(filled, CORRIDORS.slice(0, filled.corridors)),
    async close() {
      client.close()
      await service.stop()
      await reads.close()
      await home.close()
    },
  }
}

/** Sends both sides query number `n` in turns. */
export async function asked(sides: readonly Side[], n: number, asks: number): Promise<Times[]> {
  const all = sides.map((side) => {
    const times: Times = { cold: [], known: [], sql: [], repeated: [] }
    return { side, times, question: side.questions[n]! }
  })
  for (let i = 1; i <= Math.min(WARM_UP_MAX, asks); i++)
    for (const { side, question } of all) {
      await side.get(question.path(-i))
      await side.get(knownPath(question, -i))
      await question.sql(side.reads, -i)
    }
  const { asksMax = asks } = sides[0]!.questions[n]!
  for (let i = 0; i < Math.min(asks, asksMax); i++)
    for (const { side, question, times } of all) {
      times.cold.push(await timed(() => side.get(question.path(i))))
      times.sql.push(await timed(() => question.sql(side.reads, i + SQL_AHEAD)))
      times.known.push(await timed(() => side.get(knownPath(question, i + 2 * SQL_AHEAD))))
    }
  for (let i = 0; i < asks; i++)
    for (const { side, question, times } of all)
      times.repeated.push(await timed(() => side.get(question.path(0))))
  return all.map(({ times }) => times)
}

export const knownPath = ({ path, knownMs }: Question, i: number): string =>
  `${path(i)}&known_at=${new Date(knownMs(i)).toISOString()}`

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

const millions = (rows: number): string =>
  rows >= 1e6 ? `${rows / 1e6} M` : `${rows.toLocaleString('en')}`

function figuresOf(
  { what, goal, isKept }: Question,
  short: string,
  long: string,
  [a, b]: readonly [Times, Times],
): Figure[] {
  const of = (name: string) => `${what}, ${name}, ${long} observations`
  const beside = (name: string, value: number) => ({ beside: { what: name, value }, unit: 'ms' })
  const [p50, p99] = [median(b.cold), percentile(b.cold, 99)]
  return [
    { what: of('p50'), value: p50, goal: `${goal}at most 1.3`, ...beside(short, median(a.cold)) },
    { what: of('p99'), value: p99, ...beside(short, percentile(a.cold, 99)) },
    {
      what: of('p50'),
      value: p50,
      goal: 'at most 1.5',
      ...beside('its SQL through the driver', median(b.sql)),
    },
    {
      what: of('with known_at, p50'),
      value: median(b.known),
      goal: 'at most 3',
      ...beside('without', p50),
    },
    ...(isKept
      ? [
          {
            what: of('repeated, p50'),
            value: median(b.repeated),
            ...beside('p99', percentile(b.repeated, 99)),
          },
        ]
      : []),
  ]
}

function startFigures([short, long]: readonly Filled[], [a, b]: readonly Start[]): Figure[] {
  const beside = (value: number) => ({ what: millions(short!.rows), value })
  const quotes = (long!.corridorsInAll * PROVIDERS.length).toLocaleString('en')
  const of = `${millions(long!.rows)} observations, ${quotes} live quotes`
  return [
    {
      what: `start to first answer, ${of}`,
      ...{ value: b!.ms, unit: 'ms', beside: beside(a!.ms), goal: 'under 2,000 ms, about 1' },
    },
    {
      what: 'resident memory of the service there',
      ...{ value: b!.mb, unit: 'MB', beside: beside(a!.mb), goal: 'about 1' },
    },
  ]
}

async function sizeFigures(sides: readonly Side[]): Promise<Figure[]> {
  const sizes = await Promise.all(sides.map(sizeOf))
  const [short, long] = sizes as [Sized, Sized]
  const name = millions(sides[0]!.filled.rows)
  return [
    {
      what: 'resident memory at its highest while all this was asked',
      ...{ value: long.peakMb, unit: 'MB', beside: { what: name, value: short.peakMb } },
      goal: 'about 1',
    },
    {
      what: `disk for one of ${millions(sides[1]!.filled.rows)} observations, with indexes and roll-ups`,
      ...{ value: long.rowBytes, unit: 'bytes', beside: { what: name, value: short.rowBytes } },
    },
  ]
}

type Sized = { readonly peakMb: number; readonly rowBytes: number }

async function sizeOf({ home, service, filled }: Side): Promise<Sized> {
  const [size] = await home.database.sql`
    select sum(pg_total_relation_size(relid)) + pg_total_relation_size('rollups') as bytes
    from pg_partition_tree('observations')`
  const { peak: peakMb } = await residentMb(service.pid)
  return { peakMb, rowBytes: Number(size!.bytes) / filled.rows }
}
