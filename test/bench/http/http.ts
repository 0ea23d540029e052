import type { Figure } from '../table.ts'
import { type Endpoint, endpointsOf, requestOf } from './endpoints.ts'
import { CONNECTIONS, type GeneratorName } from './load.ts'
import { type Driving, type Measured, measured, medians, ratios } from './measure.ts'
import { publishing } from './publishing.ts'
import type { Report, Result, Rounds, ServerName } from './report.ts'
import { openScene, type Scene } from './scene.ts'
import {
  type Answer,
  bareServer,
  elysiaServer,
  leastServer,
  type Server,
  sqlServer,
} from './servers.ts'

export const SERVERS: readonly ServerName[] = ['service', 'bare', 'least', 'elysia', 'sql']

export type HttpOptions = {
  /** Observations of each live quote. */
  readonly depth: number
  readonly rounds: number
  readonly seconds: number
  /** Before the first round; 0 for none. */
  readonly warmUpSeconds: number
  /** Names of endpoints, and `publishing`; all without any. */
  readonly only: readonly string[]
  readonly servers: readonly ServerName[]
  readonly generator: GeneratorName
  say(line: string): void
}

/**
 * Each endpoint of the running service, against a bare server, one that also does the work common
 * to all responses, an Elysia handler, which all replay its response, and a server that queries the
 * same database on each request: one at a time, in turns.
 */
export async function http(dataDir: string, options: HttpOptions): Promise<Report> {
  const { rounds, seconds, only, generator, say } = options
  const scene = await openScene(dataDir, options.depth)
  const results: Result[] = []
  const figures: Figure[] = []
  try {
    for (const endpoint of endpointsOf(scene)) {
      if (only.length > 0 && !only.includes(endpoint.name)) continue
      const result = await resultOf(scene, endpoint, options)
      results.push(result)
      say(summaryOf(result))
    }
    if (only.length === 0 || only.includes('publishing'))
      figures.push(...(await publishing(scene, options)))
  } finally {
    await scene.close()
  }
  return {
    takenAt: new Date().toISOString(),
    bun: Bun.version,
    tcp: await congestionControl(),
    ...{ generator, connections: CONNECTIONS, rounds, seconds, results, figures },
  }
}

/** Null if the system does not report it. */
const congestionControl = (): Promise<string | null> =>
  Bun.file('/proc/sys/net/ipv4/tcp_congestion_control')
    .text()
    .then(
      (name) => name.trim(),
      () => null,
    )

function summaryOf({ name, full: { servers, ratios } }: Result): string {
  const perSecond = Math.round(servers.service!.perSecond).toLocaleString('en')
  const share = ratios.bare
    ? `, ${ratios.bare.perSecond.toFixed(2)} of bare, ` +
      `${(1 / ratios.bare.cpuMicros).toFixed(2)} by CPU`
    : ''
  return `${name}: ${perSecond}/s${share}`
}

async function resultOf(scene: Scene, endpoint: Endpoint, options: HttpOptions): Promise<Result> {
  const { servers: names, rounds, seconds, warmUpSeconds, generator } = options
  const running: Named[] = []
  const drive = async ({ origin, pid, path }: Driven, more: Partial<Driving> = {}) => {
    const asked = { ...endpoint, path }
    const load = { generator, origin, endpoint: asked, seconds, perSecond: null, ...more }
    const seen = await measured(load, pid)
    await settled(origin, asked)
    return seen
  }
  try {
    await start({ running, names }, scene, endpoint)
    if (warmUpSeconds > 0)
      for (const [, server] of running) await drive(server, { seconds: warmUpSeconds })
    const full = await inRounds(running, rounds, (server) => drive(server))
    assertSameBytes(endpoint, full)
    const perSecond = full.servers.service!.perSecond / 2
    const ends = running.filter(([name]) => name === 'service' || name === 'bare')
    const half = await inRounds(ends, rounds, (server) => drive(server, { perSecond }))
    const { name, goal } = endpoint
    return { name, goal, full, half }
  } finally {
    for (const [name, server] of running) if (name !== 'service') await server.stop()
  }
}

/** Requests to wait for: a single one may return before the last of the concurrent ones. */
const SETTLING_ASKS = 2

/**
 * Waits for earlier requests: the load generator stops when its time is up, but SQL keeps running
 * for the requests without a response, and would slow the next server.
 */
async function settled(origin: string, endpoint: Endpoint): Promise<void> {
  for (let i = 0; i < SETTLING_ASKS; i++) {
    const reply = await fetch(requestOf(origin, endpoint))
    await reply.arrayBuffer()
  }
}

/** Tolerated difference in size: a budget decreases and amounts differ in digits. */
const BYTES_SHARE_MAX = 0.03

function assertSameBytes({ name }: Endpoint, { servers: { service, bare } }: Rounds): void {
  if (bare && Math.abs(service!.bytes / bare.bytes - 1) > BYTES_SHARE_MAX)
    throw new Error(`${name}: ${service!.bytes} bytes beside ${bare.bytes} of the bare server`)
}

type Driven = Server & { readonly path: string }
type Named = [name: ServerName, server: Driven]

/** Each round reverses the order of the previous one, so that no server always follows SQL. */
async function inRounds(
  servers: readonly Named[],
  rounds: number,
  drive: (server: Driven) => Promise<Measured>,
): Promise<Rounds> {
  const taken = servers.map(() => [] as Measured[])
  const turns = servers.map(([, server], i) => ({ server, seen: taken[i]! }))
  for (let round = 0; round < rounds; round++, turns.reverse())
    for (const { server, seen } of turns) seen.push(await drive(server))
  const ofEach = <T>(figure: (rounds: Measured[]) => T): Partial<Record<ServerName, T>> =>
    Object.fromEntries(servers.map(([name], i) => [name, figure(taken[i]!)]))
  const [service] = taken as [Measured[]]
  return { servers: ofEach(medians), ratios: ofEach((rounds) => ratios(service, rounds)) }
}

type Starting = { readonly running: Named[]; readonly names: readonly ServerName[] }

/**
 * Adds each server to the running ones as soon as it starts, so that an error leaves none behind.
 */
async function start(
  { running, names }: Starting,
  { service, databaseUrl }: Scene,
  endpoint: Endpoint,
): Promise<void> {
  const { origin } = new URL(service.url)
  const { path, sqlPath } = endpoint
  const answer = await answerOf(origin, endpoint)
  running.push(['service', { ...service, origin, path }])
  if (names.includes('bare')) running.push(['bare', { ...(await bareServer(answer)), path }])
  if (names.includes('least') && endpoint.method === 'GET')
    running.push(['least', { ...(await leastServer(answer)), path }])
  if (names.includes('elysia')) running.push(['elysia', { ...(await elysiaServer(answer)), path }])
  if (names.includes('sql') && sqlPath !== null) {
    const server = await sqlServer(databaseUrl)
    running.push(['sql', { ...server, path: sqlPath }])
    assertAlike(answer, await answerOf(server.origin, { ...endpoint, path: sqlPath }))
  }
}

/** Fields that SQL does not return: clocks, and that the prices are a sample. */
const isLeftOut = (name: string): boolean => ['timestamp', 'age_seconds', 'sample'].includes(name)

/** Asserts that the SQL server returns the same response. */
function assertAlike(answer: Answer, other: Answer): void {
  if (answer.status !== 200) return
  const plain = ({ body }: Answer) =>
    JSON.stringify(JSON.parse(body, (name, value) => (isLeftOut(name) ? undefined : value)))
  if (plain(answer) !== plain(other))
    throw new Error(`SQL answers ${answer.path} otherwise:\n${plain(other)}\n${plain(answer)}`)
}

/** Headers that each server sets by itself. */
const OWN_HEADERS = ['date', 'content-length', 'connection']

async function answerOf(origin: string, endpoint: Endpoint): Promise<Answer> {
  const reply = await fetch(requestOf(origin, endpoint))
  const body = await reply.text()
  const { method, path, status } = endpoint
  if (reply.status !== status)
    throw new Error(`${endpoint.name} answered ${reply.status}, not ${status}: ${body}`)
  const headers = [...reply.headers].filter(([name]) => !OWN_HEADERS.includes(name))
  const [pathname] = path.split('?') as [string]
  return { path: pathname, method, status, headers: Object.fromEntries(headers), body }
}
