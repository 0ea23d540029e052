import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '~/store/database.ts'
import type { Node } from '../cluster.ts'
import type { Load, Seen } from './load.ts'
import type { Scene } from './scene.ts'

/** What a fault is played on. */
export type Stage = {
  readonly scene: Scene
  readonly load: Load
  readonly isSmall: boolean
  /** Waits until both services record, and show what the other has recorded. */
  heal(): Promise<void>
  /** What has to hold; otherwise the fault has failed, for the reason told. */
  must(holds: boolean, reason: string): void
  note(what: string, value: number): void
}

export type Fault = {
  readonly name: string
  /** Whether streams may be told to ask again. */
  readonly mayReset: boolean
  play(stage: Stage): Promise<void>
}

/** By when it is known that a worker is away. */
const KNOWN_MS = 8000
const PREPARED_MS_MAX = 3000

export const FAULTS: Readonly<Record<string, Fault>> = {
  quiet: {
    ...{ name: 'nothing', mayReset: false },
    async play({ load, isSmall, must }) {
      await delay(isSmall ? 2000 : 5000)
      const odd = load.seen.filter(({ kind, status }) => status !== (kind === 'post' ? 201 : 200))
      must(odd.length === 0, `something answered ${statuses(odd)}`)
    },
  },
  'worker-killed': {
    ...{ name: 'a worker is killed in the middle of commits, and comes back', mayReset: true },
    async play(stage) {
      const { cluster } = stage.scene
      for (let i = 0; i < (stage.isSmall ? 2 : 6); i++) {
        const node = cluster.workers[i % cluster.workers.length]!
        await atPrepared(node)
        node.freeze()
        await delay(500)
        await node.stop('immediate')
        await node.start()
        stage.note('commits in doubt', await preparedOn(node))
        await stage.heal()
      }
    },
  },
  'worker-frozen': {
    ...{ name: 'a worker stands still for three seconds', mayReset: true },
    async play(stage) {
      const [node] = stage.scene.cluster.workers
      await atPrepared(node!)
      node!.freeze()
      await delay(3000)
      node!.thaw()
      await stage.heal()
    },
  },
  'coordinator-killed': {
    ...{
      name: 'the coordinator is killed in the middle of commits, and comes back',
      mayReset: true,
    },
    async play(stage) {
      const { coordinator, workers } = stage.scene.cluster
      for (let i = 0; i < (stage.isSmall ? 1 : 3); i++) {
        await atPrepared(workers[0]!)
        await coordinator.stop('immediate')
        await delay(300)
        await coordinator.start()
        stage.note('commits in doubt', await preparedOn(workers[0]!))
        await stage.heal()
      }
    },
  },
  'service-started': {
    ...{ name: 'a service starts while a commit is in doubt', mayReset: true },
    async play(stage) {
      const { cluster, services } = stage.scene
      const [, node] = cluster.workers
      await atPrepared(node!)
      await node!.stop('immediate')
      await services[1].kill()
      await node!.start()
      stage.note('commits in doubt', await preparedOn(node!))
      await services[1].start()
      await stage.heal()
    },
  },
  'worker-away': {
    ...{ name: 'a worker is away for longer', mayReset: true },
    async play(stage) {
      const { scene, load, must, isSmall } = stage
      const [node] = scene.cluster.workers
      await node!.stop('immediate')
      await delay(KNOWN_MS)
      const fromMs = performance.now()
      const ready = await Promise.all(
        scene.services.map(({ origin }) =>
          fetch(`${origin}/readyz`).then((answer) => answer.text()),
        ),
      )
      await delay(isSmall ? 2000 : 8000)
      const during = load.seen.filter(({ atMs }) => atMs >= fromMs)
      await node!.start()
      await stage.heal()
      const of = (kind: Seen['kind'], port: number | null) =>
        during.filter((seen) => seen.kind === kind && (port === null || seen.port === port))
      const others = scene.cluster.workers.filter((worker) => worker !== node)
      const all = (seen: readonly Seen[], status: number) =>
        seen.length > 0 && seen.every((one) => one.status === status)
      must(all(of('live', null), 200), `live reads answered ${statuses(of('live', null))}`)
      const past = of('past', node!.port)
      must(all(past, 503), `history of its corridors answered ${statuses(past)}`)
      must(
        past.every(({ hasRetryAfter }) => hasRetryAfter),
        'a 503 came without Retry-After',
      )
      must(all(of('post', node!.port), 503), `POST there: ${statuses(of('post', node!.port))}`)
      for (const { port } of others) {
        must(all(of('past', port), 200), `history of others answered ${statuses(of('past', port))}`)
        must(all(of('post', port), 201), `POST of others answered ${statuses(of('post', port))}`)
      }
      for (const text of ready)
        must(/worker/.test(text), `/readyz says nothing of the worker: ${text}`)
    },
  },
}

function statuses(seen: readonly Seen[]): string {
  const counts = Map.groupBy(seen, ({ status, kind, error }) => `${kind} ${status} ${error}`)
  return [...counts].map(([what, { length }]) => `${what} x ${length}`).join(', ') || 'nothing'
}

/** Resolves when a commit is prepared on a worker, or after a while without one. */
async function atPrepared(node: Node): Promise<void> {
  const sql = connect(node.url, { connectionsMax: 1 })
  try {
    const deadline = performance.now() + PREPARED_MS_MAX
    while (performance.now() < deadline) {
      const [row] = await sql`select exists (select from pg_prepared_xacts) as is_prepared`
      if (row!.is_prepared) return
    }
  } finally {
    await sql.end({ timeout: 0 })
  }
}

async function preparedOn(node: Node): Promise<number> {
  const sql = connect(node.url, { connectionsMax: 1 })
  try {
    const [row] = await sql`select count(*)::int as count from pg_prepared_xacts`
    return row!.count
  } finally {
    await sql.end({ timeout: 0 })
  }
}
