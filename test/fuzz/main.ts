import { parseArgs } from 'node:util'
import { preferMemory } from '../support/scratch.ts'
import { faultOf } from './checks.ts'
import { Client, type RawAnswer } from './client.ts'
import { Random } from './random.ts'
import { type Actors, type Asked, drawn } from './requests.ts'
import { type Surface, surfaceOf } from './surface.ts'
import { type Memory, Target } from './target.ts'

const CLIENTS = 16
const FAULTS_SHOWN = 20
const MIB = 1_048_576
/**
 * Growth of memory that is allowed without a leak: caches that fill, and the allocator's own
 * reserve.
 */
const RSS_GROWTH_MAX = 64 * MIB
const HEAP_GROWTH_MAX = 12 * MIB

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    seed: { type: 'string', default: String(crypto.getRandomValues(new Uint32Array(1))[0]) },
    only: { type: 'string' },
  },
})
const requests = Number(values.requests)
const seed = Number(values.seed)
const only = values.only === undefined ? null : Number(values.only)

type Fault = { readonly turn: number; readonly what: string; readonly asked: Asked }

const statuses = new Map<string, number>()
const faults: Fault[] = []
let faultCount = 0

console.log(`fuzzing with --seed ${seed}: ${requests} requests, ${CLIENTS} at a time`)
await preferMemory()
const target = await Target.start()
const surface = await surfaceOf(target.origin, await target.alerts())
const actors: Actors = { keys: target.keys, people: await target.people() }
console.log(
  `${surface.operations.length} operations of /openapi.json, ${surface.others.length} other paths`,
)

if (only !== null) await showOne(only)
else await fuzz()

async function fuzz(): Promise<void> {
  const startMs = performance.now()
  const quarter = Math.ceil(requests / 4)
  const measured: Memory[] = []
  for (let start = 0; start < requests; start += quarter) {
    await askAll(start, Math.min(start + quarter, requests))
    if (!target.isAlive) break
    measured.push(await target.measure())
    const { rss, heapSize } = measured.at(-1)!
    const done = Math.min(start + quarter, requests)
    console.log(`${done} requests: RSS ${mb(rss)} MB, heap ${mb(heapSize)} MB after a collection`)
  }
  const seconds = (performance.now() - startMs) / 1000
  for (const { turn, what, asked } of faults)
    console.log(`request ${turn} (--seed ${seed} --only ${turn}): ${what}\n  ${shown(asked)}`)
  console.log(
    `statuses: ${[...statuses]
      .sort()
      .map(([status, n]) => `${status}: ${n}`)
      .join(', ')}`,
  )
  console.log(`${Math.round(requests / seconds)} requests a second, ${target.lines} lines of log`)
  const checks = await verdicts(measured)
  for (const [what, isRight] of checks) console.log(`${isRight ? 'right' : 'WRONG'}: ${what}`)
  const failed = checks.filter(([, isRight]) => !isRight).length
  console.log(`${checks.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

async function verdicts(measured: readonly Memory[]): Promise<[string, boolean][]> {
  const first = measured[0]
  const last = measured.at(-1)
  const answers = target.isAlive && (await fetch(`${target.origin}/api/v1/status`)).status === 200
  const rss = first && last ? last.rss - first.rss : Number.NaN
  const heap = first && last ? last.heapSize - first.heapSize : Number.NaN
  const status = await target.stop()
  for (const leak of target.leaks) console.log(`leaked: ${leak}`)
  for (const error of target.errors) console.log(`logged: ${error}`)
  return [
    [`${faultCount} of ${requests} responses were wrong`, faultCount === 0],
    ['the service responds after all of them', answers],
    [`the service stopped in order (exit ${status})`, status === 0],
    [
      `RSS grew by ${mb(rss)} MB since the first quarter, at most ${mb(RSS_GROWTH_MAX)}`,
      rss < RSS_GROWTH_MAX,
    ],
    [
      `heap grew by ${mb(heap)} MB since the first quarter, at most ${mb(HEAP_GROWTH_MAX)}`,
      heap < HEAP_GROWTH_MAX,
    ],
    [`no secret in ${target.lines} lines of log`, target.leaks.length === 0 && target.lines > 0],
    ['no error in the log', target.errors.length === 0],
  ]
}

async function askAll(start: number, end: number): Promise<void> {
  let next = start
  const work = async () => {
    const client = new Client(Number(new URL(target.origin).port))
    while (next < end && target.isAlive) await askOne(client, next++, surface)
    client.close()
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
}

async function askOne(client: Client, turn: number, on: Surface): Promise<void> {
  const asked = drawn(new Random(seed, turn), on, actors)
  if (!asked.isSound) client.close()
  let isSilent = false
  const answer = await client.ask(asked.bytes, {
    isHead: asked.isHead,
    isWhole: asked.isSound,
    onSilence: () => {
      isSilent = true
    },
  })
  if (!asked.isSound) client.close()
  if (answer) count(answer)
  const what = isSilent && asked.isSound ? 'silence' : faultOf(asked, answer, target.secrets)
  if (what === null) return
  faultCount++
  if (faults.length < FAULTS_SHOWN) faults.push({ turn, what, asked })
}

/** Counts by status; our own failures by their code as well. */
function count({ status, text }: RawAnswer): void {
  const code = status >= 500 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined
  const name = code ? `${status} ${code}` : String(status)
  statuses.set(name, (statuses.get(name) ?? 0) + 1)
}

async function showOne(turn: number): Promise<void> {
  const asked = drawn(new Random(seed, turn), surface, actors)
  console.log(asked.bytes.toString('latin1').slice(0, 4000))
  const client = new Client(Number(new URL(target.origin).port))
  const answer = await client.ask(asked.bytes, {
    isHead: asked.isHead,
    isWhole: true,
    onSilence() {},
  })
  console.log('->', answer?.status, Object.fromEntries(answer?.headers ?? []))
  console.log(answer?.text.slice(0, 2000))
  console.log('fault:', faultOf(asked, answer, target.secrets))
  client.close()
  await target.stop()
}

function mb(bytes: number): string {
  return (bytes / MIB).toFixed(1)
}

function shown({ bytes }: Asked): string {
  const text = bytes.toString('latin1').replaceAll('\r\n', ' | ')
  return target.secrets
    .reduce((left, secret) => left.replaceAll(secret, '(secret)'), text)
    .slice(0, 600)
}
