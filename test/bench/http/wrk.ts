import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onLoadCore } from './cores.ts'
import { AMOUNT, CENTS_RANGE, CENTS_STEP, type Endpoint } from './endpoints.ts'
import { CONNECTIONS, type Load, type Seen } from './load.ts'

/** Pause between two requests of a connection, if the load has a rate. */
const PAUSE_MS = 3

/**
 * Drives a server by wrk. It supports no rate: instead the rate sets the number of connections,
 * each of which pauses for some milliseconds before its next request.
 */
export async function wrk(load: Load): Promise<Seen> {
  const { origin, endpoint, seconds, perSecond } = load
  const connections =
    perSecond === null ? CONNECTIONS : Math.max(1, Math.round((perSecond * PAUSE_MS) / 1000))
  const script = join(tmpdir(), `corridor-bench-${process.pid}.lua`)
  await Bun.write(script, scriptOf(load))
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '5s', '-s', script]
  const url = origin + endpoint.path.replace(AMOUNT, '1')
  const child = Bun.spawn(onLoadCore(['wrk', ...options, url]), { stdout: 'pipe' })
  const printed = await new Response(child.stdout).text()
  await rm(script)
  const line = printed.split('\n').find((text) => text.startsWith('{'))
  if (!line) throw new Error(`wrk failed: ${printed}`)
  const said: Said = JSON.parse(line)
  const refused = endpoint.status >= 400 ? said.requests : 0
  if (said.lost > 0 || Math.abs(said.refused - refused) > connections)
    throw new Error(`${endpoint.name}: ${line}`)
  return {
    requests: said.requests,
    perSecond: (said.requests * 1e6) / said.micros,
    p50Ms: said.p50 / 1000,
    p99Ms: said.p99 / 1000,
    p999Ms: said.p999 / 1000,
    bytes: said.bytes / said.requests,
  }
}

type Said = {
  readonly requests: number
  readonly micros: number
  readonly bytes: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Failed connections and missing responses. */
  readonly lost: number
  /** Responses with a status from 400 on. */
  readonly refused: number
}

const DONE = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"micros":%d,"bytes":%d,"p50":%d,"p99":%d,"p999":%d,"lost":%d,"refused":%d}\\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50),
    latency:percentile(99), latency:percentile(99.9),
    e.connect + e.read + e.write + e.timeout, e.status))
end
`

function scriptOf({ origin, endpoint, perSecond }: Load): string {
  const { method, path, headers, body } = endpoint
  const lines = [
    `wrk.method = ${quoted(method)}`,
    ...Object.entries(headers).map(([k, v]) => `wrk.headers[${quoted(k)}] = ${quoted(v)}`),
    ...(body === undefined ? [] : [`wrk.body = ${quoted(body)}`]),
    ...(path.includes(AMOUNT) ? [varying(origin, endpoint)] : []),
    ...(perSecond === null ? [] : [PAUSE]),
  ]
  return `${lines.join('\n')}\n${DONE}`
}

/** Another amount in each request of this run, large and small ones mixed. */
function varying(origin: string, { path, headers }: Endpoint): string {
  const [before, after] = path.split(AMOUNT)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const tail = `${after} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${fields.join('')}\r\n`
  return `
local cents = ${Math.floor(Math.random() * CENTS_RANGE)}
function request()
  cents = (cents + ${CENTS_STEP}) % ${CENTS_RANGE}
  return ${quoted(`GET ${before}`)} .. string.format("%.2f", (cents + 1) / 100) .. ${quoted(tail)}
end`
}

/** Pauses of random length, so that the connections do not send at the same time. */
const PAUSE = `function delay() return math.random(1, ${2 * PAUSE_MS - 1}) end`

const quoted = (text: string): string => JSON.stringify(text)
