import drive from 'autocannon'
import { AMOUNT, CENTS_RANGE, CENTS_STEP } from './endpoints.ts'
import { CONNECTIONS, type Load, type Seen } from './load.ts'

const { origin, endpoint, seconds, perSecond }: Load = await Bun.stdin.json()
const { method, path, headers, body, status } = endpoint

let cents = Math.floor(Math.random() * CENTS_RANGE)
/** Another amount in each request, if the path has one. */
const setupRequest = (request: drive.Request): drive.Request => {
  cents = (cents + CENTS_STEP) % CENTS_RANGE
  return { ...request, path: path.replace(AMOUNT, ((cents + 1) / 100).toFixed(2)) }
}

const driven = (duration: number) =>
  drive({
    url: origin,
    connections: CONNECTIONS,
    duration,
    sampleInt: 1000 * Math.min(1, duration),
    timeout: 30,
    ...(perSecond !== null && { overallRate: Math.round(perSecond) }),
    requests: [
      {
        method,
        path,
        headers: { ...headers },
        ...(body !== undefined && { body }),
        ...(path.includes(AMOUNT) && { setupRequest }),
      },
    ],
  })

/** The longest run: a busy machine may complete no request in one second. */
const SECONDS_MAX = 60

let result = await driven(seconds)
for (let longer = 2 * seconds; result.requests.total === 0 && longer <= SECONDS_MAX; longer *= 2)
  result = await driven(longer)

const { requests, latency, throughput, errors, timeouts, non2xx } = result
const refused = status >= 400 ? requests.total : 0
if (errors + timeouts > 0 || non2xx !== refused || requests.total === 0)
  throw new Error(`${errors} errors, ${timeouts} timeouts, ${non2xx} of ${requests.total} refused`)
const seen: Seen = {
  requests: requests.total,
  perSecond: requests.total / result.duration,
  p50Ms: latency.p50,
  p99Ms: latency.p99,
  p999Ms: latency.p99_9,
  bytes: throughput.total / requests.total,
}
process.stdout.write(JSON.stringify(seen))
