import { type Endpoint, endpointsOf, requestOf } from './endpoints.ts'
import { generator, type Measured, measured, medians } from './measure.ts'
import type { Report, Result } from './report.ts'
import { openScene, type Scene } from './scene.ts'
import { type Answer, bareServer, elysiaServer, type Server } from './servers.ts'

export const SERVERS = ['service', 'bare', 'elysia'] as const
export type ServerName = (typeof SERVERS)[number]

export type HttpOptions = {
  readonly rounds: number
  readonly seconds: number
  /** Names of endpoints; all without any. */
  readonly only: readonly string[]
  readonly servers: readonly ServerName[]
  say(line: string): void
}

const CONNECTIONS = 64
const WARM_UP_SECONDS = 1
/** Between two requests of a connection at half load. */
const PAUSE_MS = 3

/**
 * Each endpoint of the running service, beside a bare server and an Elysia handler that replay its
 * answer: one at a time, in turns.
 */
export async function http(dataDir: string, options: HttpOptions): Promise<Report> {
  const { rounds, seconds, only, say } = options
  const scene = await openScene(dataDir)
  const results: Result[] = []
  try {
    for (const endpoint of endpointsOf(scene)) {
      if (only.length > 0 && !only.includes(endpoint.name)) continue
      const result = await resultOf(scene, endpoint, options)
      results.push(result)
      say(summaryOf(result))
    }
  } finally {
    await scene.close()
  }
  return {
    takenAt: new Date().toISOString(),
    bun: Bun.version,
    ...{ generator: generator(), connections: CONNECTIONS, rounds, seconds, results },
  }
}

function summaryOf({ name, servers: { service, bare } }: Result): string {
  const perSecond = Math.round(service!.perSecond).toLocaleString('en')
  const share = bare
    ? `, ${(service!.perSecond / bare.perSecond).toFixed(2)} of bare, ` +
      `${(bare.cpuMicros / service!.cpuMicros).toFixed(2)} by CPU`
    : ''
  return `${name}: ${perSecond}/s${share}`
}

async function resultOf(scene: Scene, endpoint: Endpoint, options: HttpOptions): Promise<Result> {
  const { servers: names, rounds, seconds } = options
  const running = await runningServers(scene, endpoint, names)
  const drive = ({ origin, pid }: Server, more: Partial<Parameters<typeof measured>[0]> = {}) =>
    measured({ origin, endpoint, seconds, connections: CONNECTIONS, pauseMs: null, ...more }, pid)
  try {
    for (const [, server] of running) await drive(server, { seconds: WARM_UP_SECONDS })
    const full = await inRounds(running, rounds, (server) => drive(server))
    assertSameBytes(endpoint, full)
    const paced = halfLoad(full.service!.perSecond)
    const ends = running.filter(([name]) => name === 'service' || name === 'bare')
    const half = await inRounds(ends, rounds, (server) => drive(server, paced))
    const { name, goal } = endpoint
    return { name, goal, servers: full, half }
  } finally {
    for (const [name, server] of running) if (name !== 'service') await server.stop()
  }
}

/** A budget counts down and amounts have more or fewer digits: no more may differ. */
const BYTES_SHARE_MAX = 0.03

function assertSameBytes({ name }: Endpoint, { service, bare }: Result['servers']): void {
  if (bare && Math.abs(service!.bytes / bare.bytes - 1) > BYTES_SHARE_MAX)
    throw new Error(`${name}: ${service!.bytes} bytes beside ${bare.bytes} of the bare server`)
}

/** As many connections as it takes for half of a rate when each pauses between its requests. */
function halfLoad(perSecond: number): { connections: number; pauseMs: number } {
  const connections = Math.max(1, Math.round((perSecond / 2 / 1000) * PAUSE_MS))
  return { connections, pauseMs: PAUSE_MS }
}

type Named = [name: ServerName, server: Server]

async function inRounds(
  servers: readonly Named[],
  rounds: number,
  drive: (server: Server) => Promise<Measured>,
): Promise<Partial<Record<ServerName, Measured>>> {
  const taken = servers.map(() => [] as Measured[])
  for (let round = 0; round < rounds; round++)
    for (const [i, [, server]] of servers.entries()) taken[i]!.push(await drive(server))
  return Object.fromEntries(servers.map(([name], i) => [name, medians(taken[i]!)]))
}

async function runningServers(
  { service }: Scene,
  endpoint: Endpoint,
  names: readonly ServerName[],
): Promise<Named[]> {
  const { origin } = new URL(service.url)
  const answer = await answerOf(origin, endpoint)
  const start: Record<ServerName, () => Promise<Server>> = {
    service: async () => ({ ...service, origin }),
    bare: () => bareServer(answer),
    elysia: () => elysiaServer(answer),
  }
  const running: Named[] = []
  for (const name of names) running.push([name, await start[name]()])
  return running
}

/** Each server sets these by itself. */
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
