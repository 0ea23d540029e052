import { HOUR_MS } from '~/domain/duration.ts'
import { command } from '../process.ts'
import { type Figure, median } from '../table.ts'
import { asked, opened, type Side, type Times } from './history.ts'
import { filledHome } from './home.ts'
import { CORRIDORS, PROVIDERS } from './market.ts'

type Sizes = { readonly rows: number; readonly years: number; readonly asks: number }
type Asked = { readonly times: readonly Times[]; readonly rowBytes: number }

const say = (line: string) => console.error(`archive: ${line}`)

/**
 * The requests of `history` on one history as rows, and on the same archived, which happens while a
 * service serves and records.
 */
export async function archive(dir: string, { rows, years, asks }: Sizes): Promise<Figure[]> {
  const filled = await filledHome(dir, { rows, years, corridors: CORRIDORS.length })
  const first = await opened(filled)
  const { questions } = first
  const asRows = await measured(first, asks)
  const done = await archived(first)
  await first.close()
  const second = await opened(filled)
  try {
    const after = await measured(second, asks)
    return [
      ...questions.map(({ what }, n) => ({
        what: `${what}, archived, p50`,
        ...{ value: median(after.times[n]!.cold), unit: 'ms', goal: 'at most 1.5' },
        beside: { what: 'rows', value: median(asRows.times[n]!.cold) },
      })),
      {
        what: 'disk for an observation of whole months, with indexes',
        ...{ value: after.rowBytes, unit: 'bytes', goal: 'at most 60 bytes' },
        beside: { what: 'rows', value: asRows.rowBytes },
      },
      ...done,
    ]
  } finally {
    await second.close()
  }
}

async function measured(side: Side, asks: number): Promise<Asked> {
  const times: Times[] = []
  for (const n of side.questions.keys()) times.push((await asked([side], n, asks))[0]!)
  return { times, rowBytes: await rowBytesOf(side) }
}

async function rowBytesOf({ home, filled }: Side): Promise<number> {
  const [size] = await home.database.sql`
    select sum(pg_total_relation_size(relid)) + pg_total_relation_size('observation_blocks') as bytes
    from pg_partition_tree('observations')`
  return Number(size!.bytes) / filled.rows
}

/** Archives all whole months while clients read and record; fails if one is refused. */
async function archived({ home, service, get, questions, filled }: Side): Promise<Figure[]> {
  const settings = { DATABASE_URL: home.url }
  const args = ['account', 'create', '--email', 'archive@example.com', '--role', 'treasury']
  const { key } = JSON.parse(await command([...args, '--json'], settings))
  let isOver = false
  const taken = { read: [] as number[], recorded: [] as number[] }
  const reading = async () => {
    for (let i = 0; !isOver; i++) {
      const startMs = performance.now()
      await get(questions[i % questions.length]!.path(3 * i))
      taken.read.push(performance.now() - startMs)
    }
  }
  const recording = async () => {
    for (let i = 0; !isOver; i++) {
      const startMs = performance.now()
      const atMs = filled.nowMs - (i % 5 === 4 ? 400 * 24 * HOUR_MS : HOUR_MS) + i
      await posted(`${service.url}/rates`, { key, atMs, nth: i })
      taken.recorded.push(performance.now() - startMs)
      await Bun.sleep(50)
    }
  }
  const load = Promise.all([reading(), recording()])
  const startMs = performance.now()
  const done = await command(['observations', 'archive', '--older-than', '1m', '--json'], settings)
  const seconds = (performance.now() - startMs) / 1000
  isOver = true
  await load
  say(done.trim())
  const { observations } = JSON.parse(done)
  const most = (values: readonly number[]) => Math.max(...values)
  return [
    {
      what: `archiving ${observations.toLocaleString('en')} observations`,
      value: seconds,
      unit: 's',
    },
    {
      what: `longest of ${taken.read.length} reads meanwhile`,
      value: most(taken.read),
      unit: 'ms',
    },
    {
      what: `longest of ${taken.recorded.length} POSTs meanwhile, a fifth for months before`,
      ...{ value: most(taken.recorded), unit: 'ms' },
    },
  ]
}

type Price = { readonly key: string; readonly atMs: number; readonly nth: number }

async function posted(url: string, { key, atMs, nth }: Price): Promise<void> {
  const { from, to } = CORRIDORS[nth % CORRIDORS.length]!
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify([
      {
        ...{ provider_id: PROVIDERS[0]!.id, from, to, rate: 100 + (nth % 9), rate_type: 'retail' },
        effective_from: new Date(atMs).toISOString(),
      },
    ]),
  })
  if (reply.status !== 201) throw new Error(`POST answered ${reply.status}: ${await reply.text()}`)
}
