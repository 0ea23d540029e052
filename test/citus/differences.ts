import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadSample } from '~/command/sample.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { freePort } from '~/runtime/listener.ts'
import { sampleShiftDays } from '~/sample/sample.ts'
import { openDatabase } from '~/store/database.ts'
import { command } from '../bench/process.ts'
import { Replica } from '../fault/replica.ts'
import { SharedClock } from '../fault/shared-clock.ts'
import { Random } from '../fuzz/random.ts'
import { type Answer, asked, differenceOf } from './answers.ts'
import { CORRIDORS, newRow, PROVIDERS, pastRow, type Row } from './market.ts'
import { KINDS, type Kind } from './questions.ts'
import { applyCatalogue, empty, importRows, type Side } from './sides.ts'

export type Sizes = {
  /** Rows of the market before the first query, in addition to those of the sample. */
  readonly rows: number
  /** Queries of a kind whose share is 1, in all rounds. */
  readonly questions: number
  readonly seed: number
}

/** Outcome of one kind of request. */
export type Tally = {
  readonly name: string
  asked: number
  /** Successful responses that contained prices. */
  filled: number
  different: number
}

export type Differences = {
  readonly tallies: readonly Tally[]
  /** The first differences, and other violations. */
  readonly faults: readonly string[]
  /** The last errors that services logged. */
  readonly errors: readonly string[]
}

type Stage = {
  readonly sides: readonly [Played, Played]
  readonly folder: string
  readonly clock: SharedClock
  readonly seed: number
  /** The start of the run. */
  readonly startMs: number
  readonly tallies: Map<string, Tally>
  readonly faults: string[]
  /** The time that each change of the catalogue took, by the clock of the machine. */
  readonly switches: { readonly fromMs: number; readonly toMs: number }[]
}

/** A side with two services on it. */
type Played = Side & { readonly replicas: readonly [Replica, Replica] }

const ROUNDS = 10
const BATCHES = 6
const IMPORTED = 1500
const FAULTS_SHOWN = 20
const ERRORS_SHOWN = 3
const SETTLED_MS_MAX = 30_000
/**
 * Longest wait until all services serve the same: changes of other services appear within a second.
 */
const ALIKE_MS = 2000
const POLL_MS = 50
const TRIES = 10
const TRY_MS = 1000
/** Each round uses another minute, and one in two another hour. */
const TURN_MS = 31 * MINUTE_MS

/**
 * Sends both sides the same random requests at the same times, in rounds; before each round, both
 * receive the same batches, imports and catalogues. Each side has two services, one for recording,
 * and a clock that stops during requests, so that responses are byte for byte equal. In the end the
 * first side restores a backup of the second, and both are queried once more.
 */
export async function differences(
  sides: readonly [Side, Side],
  { folder, ...sizes }: Sizes & { readonly folder: string },
): Promise<Differences> {
  const nowMs = Date.now()
  for (const side of sides) await fill(side, { ...sizes, folder, nowMs })
  const clockPath = join(folder, 'clock')
  const clock = await SharedClock.create(clockPath, 0)
  clock.hold(nowMs)
  const replicas = new Set<Replica>()
  const played = async (side: Side): Promise<Played> => {
    const [a, b] = ['a', 'b'].map((name) => replicaOf(side, { name, folder, clockPath }))
    for (const replica of [a!, b!]) {
      replicas.add(replica)
      await replica.start()
    }
    return { ...side, replicas: [a!, b!] }
  }
  try {
    const both = [await played(sides[0]), await played(sides[1])] as const
    const stage: Stage = {
      ...{ sides: both, folder, clock, seed: sizes.seed, startMs: nowMs },
      tallies: new Map(KINDS.map(({ name }) => [name, none(name)])),
      ...{ faults: [], switches: [] },
    }
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await change(stage, round)
      await askAll(stage, round, sizes.questions / ROUNDS)
      console.error(`round ${round + 1} of ${ROUNDS}: ${stage.faults.length} faults so far`)
      clock.hold(clock.now() + TURN_MS)
    }
    await agreeOnRollups(stage)
    for (const replica of both[0].replicas) await replica.stop()
    const back = { ...stage, sides: [await played(await restored(stage)), both[1]] as const }
    await settled(back)
    await askAll(back, ROUNDS, sizes.questions / ROUNDS)
    const logged = [...replicas].map((replica) => replica.errors(ERRORS_SHOWN))
    const errors = (await Promise.all(logged)).flat()
    return { tallies: [...stage.tallies.values()], faults: stage.faults, errors }
  } finally {
    for (const replica of replicas) await replica.kill()
  }
}

/** Restores the second side's backup into the emptied database of the first. */
async function restored({ sides: [to, from], folder }: Stage): Promise<Side> {
  const file = join(folder, 'backup.gz')
  await command(['backup', file], { DATABASE_URL: from.url })
  await empty(to.sql, to.name)
  await command(['restore', file], { DATABASE_URL: to.url })
  return { ...to, keys: from.keys }
}

const none = (name: string): Tally => ({ name, asked: 0, filled: 0, different: 0 })

/** The sample and the market's past. */
async function fill(
  side: Side,
  { rows, seed, folder, nowMs }: Sizes & { readonly folder: string; readonly nowMs: number },
): Promise<void> {
  const options = { databaseUrl: side.url, dataDir: folder, use: 'command' as const }
  const database = await openDatabase({ ...options, say: () => {} })
  const shiftDays = sampleShiftDays(nowMs)
  await loadSample(database, { origin: 'http://localhost', shiftDays, nowMs, say: () => {} })
  await database.close()
  await applyCatalogue(side, { folder, catalogue: { currencies: [], providers: PROVIDERS } })
  const random = new Random(seed)
  const past = Array.from({ length: rows }, () => pastRow(random, nowMs))
  await importRows(side, { folder, rows: past })
  await dated(side, nowMs)
}

/**
 * Replaces the server's times in rows recorded by commands with the time of the run on each side.
 */
async function dated({ sql }: Side, nowMs: number): Promise<void> {
  const at = new Date(nowMs).toISOString()
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update observations set recorded_at = ${at}::timestamptz
      where recorded_via is distinct from 'api' and recorded_at <> ${at}::timestamptz`
    await tx`update reference_snapshots set recorded_at = ${at}::timestamptz`
  })
}

type Place = { readonly name: string; readonly folder: string; readonly clockPath: string }

function replicaOf({ name: side, url }: Side, { name, folder, clockPath }: Place): Replica {
  const settings = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    CLOCK_FILE: clockPath,
    PUBLIC_URL: 'http://localhost:3000',
    REFERENCE_FEED: 'none',
    QUOTE_SUSPECT_PCT: 'off',
    QUOTE_IMPLAUSIBLE_TIMES: 'off',
    MID_MAX_AGE: '30d',
    QUOTA_PRO: '1000000000',
    QUOTA_ENTERPRISE: '1000000000',
    BOARD_REQUESTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
  const port = freePort('127.0.0.1')
  return new Replica(`${side} ${name}`, port, settings, join(folder, `${side}-${name}.log`))
}

/**
 * Changes that both sides get before a round. A provider is switched off for one round in three.
 */
async function change(stage: Stage, round: number): Promise<void> {
  const random = new Random(stage.seed, -round)
  if (round % 3 === 0) await catalogued(stage, PROVIDERS)
  for (let i = 0; i < BATCHES; i++) await post(stage, random, `${round}-${i}`)
  if (round % 3 === 1) await imported(stage, random)
  if (round % 3 === 2) await catalogued(stage, [{ ...random.pick(PROVIDERS), is_active: false }])
  if (round === ROUNDS - 1) await prune(stage)
  await settled(stage)
}

async function imported({ sides, clock, folder, startMs }: Stage, random: Random): Promise<void> {
  const nowMs = clock.now() - ROUNDS * TURN_MS
  const rows = Array.from({ length: IMPORTED }, () => pastRow(random, nowMs))
  for (const side of sides) {
    await importRows(side, { folder, rows })
    await dated(side, startMs)
  }
}

async function catalogued(stage: Stage, providers: readonly object[]): Promise<void> {
  const { sides, folder, switches } = stage
  const fromMs = Date.now()
  for (const side of sides)
    await applyCatalogue(side, { folder, catalogue: { currencies: [], providers } })
  switches.push({ fromMs, toMs: Date.now() })
  await settled(stage)
}

/**
 * Reports whether both sides had the same active providers when a row took effect: one side
 * switches a provider earlier than the other, as a command uses the clock of the machine.
 */
const isOutsideSwitches = ({ switches }: Stage, { effective_from }: Row): boolean =>
  switches.every(({ fromMs, toMs }) => {
    const ms = Date.parse(String(effective_from))
    return !(ms >= fromMs && ms <= toMs)
  })

/** Records a batch on both sides, now and then an invalid one, and now and then twice. */
async function post(stage: Stage, random: Random, key: string): Promise<void> {
  const size = random.pick([1, 1, 3, 20, 100])
  const nowMs = stage.clock.now()
  const made = Array.from({ length: size }, () => newRow(random, nowMs))
  const rows: Row[] = made.filter((row) => isOutsideSwitches(stage, row))
  if (random.chance(0.15)) rows.push({ ...rows[0], provider_id: 'nobody' })
  const isRetried = random.chance(0.3)
  for (let i = 0; i < (isRetried ? 2 : 1); i++) {
    const [one, other] = await fromBoth(stage, {
      path: '/api/v1/rates',
      tier: 'realtime',
      replica: 0,
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(rows),
      },
    })
    note(stage, 'POST /rates', { what: `batch ${key}`, one, other, filled: /"inserted":[1-9]/ })
  }
}

async function prune({ sides, faults }: Stage): Promise<void> {
  const args = ['observations', 'prune', '--older-than', '2y', '--json']
  const counts = []
  for (const { url } of sides)
    counts.push(JSON.parse(await command(args, { DATABASE_URL: url })).pruned as number)
  if (counts[0] !== counts[1]) faults.push(`prune deleted ${counts.join(' and ')} observations`)
}

/** Waits until every service shows the same live prices, and continues to. */
async function settled(stage: Stage): Promise<void> {
  const startMs = performance.now()
  let alikeSinceMs = Number.POSITIVE_INFINITY
  for (;;) {
    const difference = await liveDifference(stage)
    const nowMs = performance.now()
    if (difference !== null) alikeSinceMs = Number.POSITIVE_INFINITY
    else alikeSinceMs = Math.min(alikeSinceMs, nowMs)
    if (nowMs - alikeSinceMs > ALIKE_MS) return
    if (nowMs - startMs > SETTLED_MS_MAX) {
      stage.faults.push(`still after ${SETTLED_MS_MAX / 1000} s: ${difference}`)
      return
    }
    await delay(POLL_MS)
  }
}

const LIVE = [
  '/api/v1/providers',
  ...CORRIDORS.map(({ from, to }) => `/api/v1/rates?from=${from}&to=${to}&offers=all`),
]

async function liveDifference({ sides }: Stage): Promise<string | null> {
  for (const path of LIVE) {
    const answers = await Promise.all(
      sides.flatMap(({ keys, replicas }) => {
        const init = { headers: { 'x-api-key': keys.realtime } }
        return replicas.map((replica) => asked(replica, path, init))
      }),
    )
    for (const other of answers.slice(1)) {
      const difference = differenceOf(answers[0]!, other)
      if (difference) return `${path}: ${difference}`
    }
  }
  return null
}

async function askAll(stage: Stage, round: number, questions: number): Promise<void> {
  for (const [k, kind] of KINDS.entries())
    for (let i = 0; i < Math.ceil(questions * kind.share); i++)
      await ask(stage, kind, new Random(stage.seed, (round * KINDS.length + k) * 100_000 + i))
}

async function ask(stage: Stage, { name, path, filled }: Kind, random: Random): Promise<void> {
  const question = {
    path: path(random, stage.clock.now()),
    tier: random.pick(['hourly', 'realtime'] as const),
    replica: random.pick([0, 1] as const),
    init: {},
  }
  const [one, other] = await fromBoth(stage, question)
  const what = `${question.path} (${question.tier}, service ${question.replica})`
  note(stage, name, { what, one, other, filled })
}

type Question = {
  readonly path: string
  readonly tier: 'hourly' | 'realtime'
  readonly replica: 0 | 1
  readonly init: RequestInit
}

function fromBoth({ sides }: Stage, { path, tier, replica, init }: Question) {
  const [one, other] = sides.map(({ keys, replicas }) => {
    const headers = { ...(init.headers as object), 'x-api-key': keys[tier] }
    return untilServed(() => asked(replicas[replica], path, { ...init, headers }))
  })
  return Promise.all([one!, other!])
}

/** What a page shows instead of unavailable data. */
const LACKS = 'not available at the moment'

const isLacking = ({ status, text }: Answer): boolean => status === 503 || text.includes(LACKS)

/** Repeats a request that was refused for overload, as clients do. */
async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  for (let i = 0; i < TRIES && isLacking(answer); i++) {
    await delay(TRY_MS)
    answer = await ask()
  }
  return answer
}

type Pair = {
  readonly what: string
  readonly one: Answer
  readonly other: Answer
  readonly filled: RegExp
}

function note(stage: Stage, name: string, { what, one, other, filled }: Pair): void {
  const tally = stage.tallies.get(name) ?? none(name)
  stage.tallies.set(name, tally)
  tally.asked += 1
  if (one.status < 300 && filled.test(one.text)) tally.filled += 1
  const difference = differenceOf(one, other)
  if (difference === null) return
  tally.different += 1
  if (tally.different === 1) console.error(`${name}, ${what}: ${difference}`)
  if (stage.faults.length < FAULTS_SHOWN) stage.faults.push(`${name}, ${what}: ${difference}`)
}

async function agreeOnRollups({ sides, faults }: Stage): Promise<void> {
  for (const { name, url } of sides)
    await command(['rollups', 'verify'], { DATABASE_URL: url }).catch((error: Error) => {
      faults.push(`${name}: ${error.message}`)
    })
}
