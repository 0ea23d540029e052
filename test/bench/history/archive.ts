import { HOUR_MS } from '~/domain/duration.ts'
import { command } from '../process.ts'
import { type Figure, median } from '../table.ts'
import { asked, knownPath, opened, type Side, type Sizes, type Times } from './history.ts'
import { filledHome } from './home.ts'
import { CORRIDORS, PROVIDERS } from './market.ts'

type Asked = { readonly times: readonly Times[]; readonly rowBytes: number }

/** Each series has as many rows a month as in ten million, whatever the total. */
const CORRIDOR_ROWS = 50_000
/** Random requests whose responses are compared. */
const COMPARED = 1000
const KNOWN_SHARE = 0.3
/** Requests differ by an hour, or by days. */
const TURNS = 40_000

/** The part of a response that depends on the current time. */
const PRESENT = /"timestamp":"[^"]*"(?=,"(data_freshness|date|sample)")/

const say = (line: string) => console.error(`archive: ${line}`)

/**
 * The requests of `history` on one history as rows, and on the same history archived, which happens
 * while a service serves and records. The archive's responses to random requests are compared with
 * those of the restored rows.
 */
export async function archive(
  dir: string,
  { asks, corridors, ...sizes }: Sizes,
): Promise<Figure[]> {
  const filled = await filledHome(dir, {
    ...sizes,
    corridors: Math.min(corridors, Math.max(1, Math.round(sizes.rows / CORRIDOR_ROWS))),
    corridorsInAll: corridors,
  })
  const opening = async <T>(work: (side: Side) => Promise<T>): Promise<T> => {
    const side = await opened(filled)
    return work(side).finally(() => side.close())
  }
  const [asRows, done] = await opening(async (side) => {
    await restored(side)
    return [await measured(side, asks), await archived(side)] as const
  })
  const compared = Math.min(COMPARED, asks * 10)
  const [after, said] = await opening(async (side) => {
    return [await measured(side, asks), await responses(side, compared)] as const
  })
  const { questions, again } = await opening(async (side) => {
    say(await restored(side))
    return { questions: side.questions, again: await responses(side, compared) }
  })
  const different = said.filter((text, n) => text !== again[n])
  for (const text of different) say(`differs: ${text.slice(0, text.indexOf(' '))}`)
  return [
    ...questions.map(({ what }, n) => ({
      what: `${what}, archived, p50`,
      ...{ value: median(after.times[n]!.cold), unit: 'ms', goal: 'at most 1.5' },
      beside: { what: 'rows', value: median(asRows.times[n]!.cold) },
    })),
    {
      what: 'disk for an observation of archived months, with indexes',
      ...{ value: after.rowBytes, unit: 'bytes', goal: 'at most 60 bytes' },
      beside: { what: 'rows', value: asRows.rowBytes },
    },
    {
      what: `responses of the archive that differ, of ${compared.toLocaleString('en')}`,
      ...{ value: different.length, unit: '', goal: '0' },
    },
    ...done,
  ]
}

const restored = ({ home }: Side) =>
  command(['observations', 'archive', '--older-than', '1m', '--undo', '--json'], {
    DATABASE_URL: home.url,
  })

/** Responses to random requests without the current time in them, the same in each run. */
async function responses({ questions, text }: Side, count: number): Promise<string[]> {
  let state = 1
  const roll = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const said: string[] = []
  for (let nth = 0; nth < count; nth++) {
    const question = questions[roll(questions.length)]!
    const turn = roll(TURNS)
    const isKnown = question.isOfNow || roll(100) < KNOWN_SHARE * 100
    const path = isKnown ? knownPath(question, turn) : question.path(turn)
    said.push(`${path} ${(await text(path)).replace(PRESENT, '')}`)
  }
  return said
}

async function measured(side: Side, asks: number): Promise<Asked> {
  const times: Times[] = []
  for (const n of side.questions.keys()) times.push((await asked([side], n, asks))[0]!)
  return { times, rowBytes: await rowBytesOf(side) }
}

/** Bytes per observation in the months that are archived, or will be. */
async function rowBytesOf({ home }: Side): Promise<number> {
  const [row] = await home.database.sql`
    with months as (
      select month, to_regclass(observation_part(month)) as part from generate_series(
        start_of_month((select min(effective_from) from observations)),
        start_of_month(now() - interval '1 month') - interval '1 month', '1 month'
      ) month
    )
    select (sum(pg_total_relation_size(part)) + pg_total_relation_size('observation_blocks')) / (
      (select count(*) from observations
        where effective_from < start_of_month(now() - interval '1 month'))
      + (select coalesce(sum(cardinality(id)), 0) from observation_blocks)
    ) as bytes from months`
  return Number(row!.bytes)
}

/** Archives all whole months while clients read and record; fails if a request is refused. */
async function archived({ home, service, get, questions, filled }: Side): Promise<Figure[]> {
  const settings = { DATABASE_URL: home.url }
  const email = `${crypto.randomUUID()}@example.com`
  const args = ['account', 'create', '--email', email, '--role', 'treasury']
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
  if (reply.status !== 201) throw new Error(`POST returned ${reply.status}: ${await reply.text()}`)
}
