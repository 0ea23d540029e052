import { join } from 'node:path'
import type { Corridor } from '~/domain/corridor.ts'
import { STREAMS_MAX } from '~/domain/live/stream.ts'
import { enterpriseKeys } from './accounts.ts'
import { connectClient } from './client.ts'
import { onLoadCore } from './http/cores.ts'
import { type Market, market } from './http/market.ts'
import { openScene, type Scene } from './http/scene.ts'
import { residentMb } from './process.ts'
import { type Recorder, type Row, recorderOf } from './stream/publishing.ts'
import type { Heard, Readers } from './stream/readers.ts'
import { everything } from './stream/resume.ts'
import { type Figure, percentile } from './table.ts'

export type StreamSizes = {
  /** Observations of each live quote at first. */
  readonly depth: number
  readonly streams: number
  /** Duration of the measurement, without streams and with them. */
  readonly streamSeconds: number
  readonly warmingSeconds: number
  /** The number of events that a returning reader missed. */
  readonly missed: number
}

const LIVE_QUOTES = 5000
const ROWS_PER_SECOND = 500
/** The number of corridors each stream names. */
const CORRIDORS_EACH = 3
/** From the start of one `GET /rates` to the start of the next. */
const ASK_PAUSE_MS = 4
const SETTLING_MS = 2000

/**
 * Measures the cost and the delay of open streams, while rows are recorded through `POST /rates`:
 * from the 201 to the last stream that sends the row; the memory of a stream; `GET /rates` with and
 * without the streams, rows being recorded in both cases; and the time until a returning reader has
 * all missed events. A separate process reads the streams, on the core that also records and sends
 * requests.
 */
export async function stream(dir: string, sizes: StreamSizes): Promise<Figure[]> {
  const opened = await openScene(dir, sizes.depth)
  const scene = { ...opened, market: await marketOf(opened) }
  try {
    const { service, keys } = scene
    const recorder = recorderOf(service, { market: scene.market, key: keys.realtime })
    await recorder.burst(LIVE_QUOTES)
    return [
      ...(await loadFigures(scene, recorder, sizes)),
      await resumed(scene, recorder, sizes.missed),
    ]
  } finally {
    await scene.close()
  }
}

/** Quotes in every corridor. */
async function marketOf({ database: { sql } }: Scene): Promise<Market> {
  const corridors = await sql<Corridor[]>`
    select distinct source as "from", target as "to" from corridors
    where source <> target order by 1, 2`
  return market(corridors, { liveQuotes: LIVE_QUOTES, depth: 1, nowMs: Date.now(), perUsd: {} })
}

async function loadFigures(
  scene: Scene,
  recorder: Recorder,
  { streams, streamSeconds, warmingSeconds }: StreamSizes,
): Promise<Figure[]> {
  const { pid } = scene.service
  const accounts = Math.ceil(streams / STREAMS_MAX.enterprise)
  const keys = await enterpriseKeys(scene, accounts)
  await loaded(scene, recorder, warmingSeconds)
  const without = await loaded(scene, recorder, streamSeconds)
  const before = await residentMb(pid)
  const subscribed = subscriptions(scene, streams)
  const readers = await opened(scene, subscribed, keys)
  await Bun.sleep(SETTLING_MS)
  const idle = await residentMb(pid)
  const warm = await loaded(scene, recorder, warmingSeconds)
  const during = await loaded(scene, recorder, streamSeconds)
  await Bun.sleep(SETTLING_MS)
  const busy = await residentMb(pid)
  const delays = delaysOf([...warm.rows, ...during.rows], subscribed, await readers.heard())
  const measured = delays.slice(-during.rows.length)
  const kbOf = ({ now }: { now: number }) => ((now - before.now) * 1024) / streams
  const open = `${streams.toLocaleString('en')} streams`
  const corridors = scene.market.corridors.length
  const what = `from 201 to the last reader of a row, ${open} of ${CORRIDORS_EACH} of ${corridors} corridors each`
  const rates = (percent: number) => ({
    ...{ what: `GET /rates beside ${open}, p${percent}`, unit: 'ms' },
    value: percentile(during.latencies, percent),
    beside: { what: 'without streams', value: percentile(without.latencies, percent) },
  })
  return [
    {
      what: `rows recorded through POST /rates beside ${open}`,
      value: during.rows.length / during.seconds,
      unit: 'rows/s',
      goal: `${ROWS_PER_SECOND}`,
    },
    { what: `${what}, p50`, value: percentile(measured, 50), unit: 'ms' },
    { what: `${what}, p99`, value: percentile(measured, 99), unit: 'ms' },
    { what: `memory of a stream, ${open} open`, value: kbOf(idle), unit: 'kB' },
    { what: 'memory of a stream after that load', value: kbOf(busy), unit: 'kB' },
    rates(50),
    { ...rates(99), goal: 'at most 1.5' },
  ]
}

/** The corridors of each stream, spread so that each corridor has as many readers as the others. */
const subscriptions = ({ market: { corridors } }: Scene, streams: number): string[][] =>
  Array.from({ length: streams }, (_, i) =>
    Array.from({ length: CORRIDORS_EACH }, (_, j) => {
      const { from, to } = corridors[(i * CORRIDORS_EACH + j) % corridors.length]!
      return `${from}/${to}`
    }),
  )

/** Opens streams in a process of its own. */
async function opened({ service }: Scene, subscribed: string[][], keys: readonly string[]) {
  const { origin, pathname } = new URL(service.url)
  const readers: Readers = {
    origin,
    streams: subscribed.map((corridors, i) => ({
      path: `${pathname}/stream?corridors=${corridors.join(',')}`,
      key: keys[i % keys.length]!,
    })),
  }
  const file = join(import.meta.dir, 'stream/readers.ts')
  const child = Bun.spawn(onLoadCore(['bun', file]), {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  child.stdin.write(`${JSON.stringify(readers)}\n`)
  await child.stdin.flush()
  const said = linesOf(child.stdout)
  if ((await said.next()).value !== 'open') throw new Error('the streams were not opened')
  return {
    /** Returns what the streams sent until now; closes them. */
    async heard(): Promise<Heard> {
      child.stdin.write('\n')
      await child.stdin.flush()
      const heard = (await said.next()).value
      await child.exited
      if (!heard) throw new Error('the readers ended')
      return JSON.parse(heard)
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

/** Records at the pace and requests rates meanwhile. */
async function loaded({ service, market, keys }: Scene, recorder: Recorder, seconds: number) {
  const client = connectClient(new URL(service.url), { 'x-api-key': keys.realtime })
  const latencies: number[] = []
  const endMs = performance.now() + seconds * 1000
  const asking = async () => {
    for (let i = 0; performance.now() < endMs; i++) {
      const { from, to } = market.corridors[(i * 7) % market.corridors.length]!
      const startMs = performance.now()
      await client.get(`/rates?from=${from}&to=${to}`)
      const tookMs = performance.now() - startMs
      latencies.push(tookMs)
      await Bun.sleep(Math.max(0, ASK_PAUSE_MS - tookMs))
    }
  }
  const startMs = performance.now()
  const rows = await recorder.record({ perSecond: ROWS_PER_SECOND, during: asking() })
  client.close()
  return { rows, latencies, seconds: (performance.now() - startMs) / 1000 }
}

/**
 * Milliseconds from each row's 201 to the last stream that sent it; every reader must have received
 * it once.
 */
function delaysOf(rows: readonly Row[], subscribed: readonly string[][], heard: Heard): number[] {
  const readers = new Map<string, number>()
  for (const corridor of subscribed.flat()) readers.set(corridor, (readers.get(corridor) ?? 0) + 1)
  return rows.flatMap(({ corridor, rate, committedMs }) => {
    const expected = readers.get(corridor) ?? 0
    const { count, lastMs } = heard[rate] ?? { count: 0, lastMs: 0 }
    if (count !== expected)
      throw new Error(`${count} of ${expected} readers of ${corridor} received ${rate}`)
    return expected === 0 ? [] : [lastMs - committedMs]
  })
}

/** The time until a returning reader of all corridors has the events that it missed. */
async function resumed({ service, keys }: Scene, recorder: Recorder, missed: number) {
  const leaving = everything(service, keys.realtime)
  while (leaving.lastId === null) await Bun.sleep(10)
  const from = leaving.lastId
  leaving.close()
  const staying = everything(service, keys.realtime)
  while (staying.lastId === null) await Bun.sleep(10)
  while (staying.events < missed) {
    await recorder.burst(100)
    await Bun.sleep(50)
  }
  await Bun.sleep(SETTLING_MS / 4)
  const startMs = performance.now()
  const back = everything(service, keys.realtime, from)
  await back.until(staying.lastId!)
  const tookMs = performance.now() - startMs
  if (back.events !== staying.events)
    throw new Error(`${back.events} events of ${staying.events} received after reconnecting`)
  staying.close()
  back.close()
  const events = back.events.toLocaleString('en')
  const figure: Figure = {
    what: `until a returning reader of all corridors has all of ${events} events`,
    value: tookMs,
    unit: 'ms',
  }
  return figure
}
