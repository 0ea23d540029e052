import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, Stage } from './faults.ts'
import { Load, ratesIn } from './load.ts'
import { CROWD, CROWD_TARGETS, LONELY, type Scene } from './scene.ts'

const BEFORE_MS = 1500
const HEAL_MS_MAX = 40_000
/** Time after a 201 within which every service has to show it, once no failure prevents it. */
const SHOWN_MS_MAX = 10_000
/** Time within which a batch is acknowledged, once no failure prevents it. */
const CALM_MS_MAX = 40_000
const POLL_MS = 50

export type Outcome = {
  readonly fault: string
  readonly batches: number
  readonly readings: number
  readonly halves: number
  readonly healMs: number
  readonly resets: number
  readonly notes: Readonly<Record<string, number>>
  /** Conditions that did not hold. */
  readonly broken: readonly string[]
}

type Playing = { readonly fault: Fault; readonly scene: Scene; readonly isSmall: boolean }

/** Plays one fault under load, waits for recovery, and compares everything with the database. */
export async function play({ fault, scene, isSmall }: Playing): Promise<Outcome> {
  const load = new Load(scene)
  const broken: string[] = []
  const notes: Record<string, number> = {}
  let healMs = 0
  const stage: Stage = {
    ...{ scene, load, isSmall },
    async heal() {
      healMs = Math.max(healMs, await healed(scene, load))
    },
    must(holds, reason) {
      if (!holds) broken.push(reason)
    },
    note(what, value) {
      notes[what] = (notes[what] ?? 0) + value
    },
  }
  try {
    await delay(BEFORE_MS)
    await fault.play(stage)
    await stage.heal()
  } catch (error) {
    broken.push(`it could not be played to its end: ${(error as Error).stack}`)
    for (const node of scene.cluster.workers) scene.networkOf(node).release()
  }
  await load.calm(CALM_MS_MAX)
  await shown(stage)
  broken.push(...(await accounted(scene, load)), ...load.halves)
  broken.push(...(await untoldAtLast(load, fault)), ...bugs(load))
  await load.stop()
  scene.rate = Math.max(load.sent, ...load.lonely.values())
  const { hearings, halves, seen, acknowledged } = load
  return {
    ...{ fault: fault.name, batches: acknowledged.size, halves: halves.length },
    readings: seen.filter(({ kind, status }) => kind === 'live' && status === 200).length,
    resets: hearings.reduce((sum, { resets }) => sum + resets.length, 0),
    ...{ healMs, notes, broken },
  }
}

/** Milliseconds until another batch of each kind was acknowledged and every service is ready. */
async function healed(scene: Scene, load: Load): Promise<number> {
  const startMs = performance.now()
  const before = load.acknowledged.size
  const lonely = new Map(load.lonely)
  const missing = async () => {
    if (load.acknowledged.size < before + 2) return 'a batch of many corridors'
    const unwritten = scene.lone.find(
      ({ target }) => (load.lonely.get(target) ?? 0) <= (lonely.get(target) ?? 0),
    )
    if (unwritten) return `a row of ${unwritten.target}`
    for (const { origin, name } of scene.services) {
      const answer = await fetch(`${origin}/readyz`).catch(() => null)
      if (!answer?.ok) return `service ${name}: ${await answer?.text()}`
    }
    return null
  }
  for (;;) {
    const lacks = await missing()
    if (lacks === null) return performance.now() - startMs
    if (performance.now() - startMs > HEAL_MS_MAX) {
      const last = load.seen.filter(({ kind, status }) => kind === 'post' && status !== 201).at(-1)
      throw new Error(`not healed after ${HEAL_MS_MAX / 1000} s: ${lacks}; ${last?.error}`)
    }
    await delay(POLL_MS)
  }
}

/** Waits until every service shows the newest batch. */
async function shown({ scene, load, must }: Stage): Promise<void> {
  const deadline = performance.now() + SHOWN_MS_MAX
  for (const { origin, name } of scene.services)
    for (;;) {
      const headers = { 'x-api-key': scene.key }
      const answer = await fetch(`${origin}/api/v1/corridors`, { headers }).catch(() => null)
      const rates = answer ? ratesIn(await answer.text()) : []
      if (answer && rates.every((rate) => rate === load.sent)) break
      if (performance.now() > deadline) {
        must(false, `service ${name} shows ${rates} and not ${load.sent}`)
        break
      }
      await delay(POLL_MS)
    }
}

/** Acknowledged batches that are missing, incomplete or stored twice. */
async function accounted({ sql }: Scene, load: Load): Promise<string[]> {
  const rows = await sql<{ provider: string; target: string; rate: number; count: number }[]>`
    select p.provider_id as provider, c.target, o.rate::float8 as rate, count(*)::int as count
    from observations o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    join corridors c on c.id = o.corridor_id
    group by 1, 2, 3`
  const doubled = rows.filter(({ count, rate }) => count > 1 && rate > load.base)
  const crowd = Map.groupBy(
    rows.filter(({ provider }) => provider === CROWD),
    ({ rate }) => rate,
  )
  const isPart = ([rate, { length }]: [number, unknown[]]) =>
    rate > load.base && length !== CROWD_TARGETS.length
  const parts = [...crowd].filter(isPart)
  const lost = [...load.acknowledged].filter((rate) => !crowd.has(rate))
  const lonely = rows.filter(({ provider }) => provider === LONELY)
  const lostAlone = [...load.lonely].filter(
    ([target, rate]) => !lonely.some((row) => row.target === target && row.rate === rate),
  )
  return [
    ...(lost.length > 0 ? [`${lost.length} acknowledged batches are lost: ${lost}`] : []),
    ...(lostAlone.length > 0 ? [`${lostAlone.length} acknowledged rows are lost`] : []),
    ...(doubled.length > 0 ? [`${doubled.length} rows are there twice`] : []),
    ...(parts.length > 0 ? [`${parts.length} batches are there in part`] : []),
  ]
}

/** Responses that a service must never return, whatever its database does. */
function bugs({ seen }: Load): string[] {
  const found = seen.filter(({ status }) => status >= 500 && status !== 503)
  return found.length > 0
    ? [`${found.length} responses were errors of ours: ${found[0]!.error}`]
    : []
}

/** Rows that are still not sent after streams had time to reopen. */
async function untoldAtLast(load: Load, fault: Fault): Promise<string[]> {
  const deadline = performance.now() + SHOWN_MS_MAX
  while (untold(load, fault).length > 0 && performance.now() < deadline) await delay(POLL_MS)
  return untold(load, fault)
}

/** Rows that streams did not send, sent twice, or sent in the wrong order. */
function untold({ hearings, acknowledged }: Load, { mayReset }: Fault): string[] {
  return hearings.flatMap(({ quotes, resets, doubled, faults }, i) => {
    const heard = new Set(quotes.map(({ corridor, rate }) => `${corridor} ${rate}`))
    const missed = [...acknowledged].filter((rate) =>
      CROWD_TARGETS.some((target) => !heard.has(`QAA/${target} ${rate}`)),
    )
    const isExcused = resets.length > 0
    return [
      ...(missed.length > 0 && !isExcused ? [`stream ${i} did not send ${missed}`] : []),
      ...(resets.length > 0 && !mayReset ? [`stream ${i} was reset`] : []),
      ...(doubled > 0 ? [`stream ${i} sent ${doubled} events twice`] : []),
      ...faults.slice(0, 3).map((fault) => `stream ${i}: ${fault}`),
    ]
  })
}
