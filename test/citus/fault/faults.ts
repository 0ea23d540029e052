import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '~/store/database.ts'
import { until } from '../../support/until.ts'
import type { Node } from '../cluster.ts'
import type { Load, Seen } from './load.ts'
import { CROWD, CROWD_TARGETS, type Scene } from './scene.ts'

/** Stage on which a failure is played. */
export type Stage = {
  readonly scene: Scene
  readonly load: Load
  readonly isSmall: boolean
  /** Waits until both services record, and show what the other has recorded. */
  heal(): Promise<void>
  /** Asserts a condition; otherwise the failure counts as not survived, for the given reason. */
  must(holds: boolean, reason: string): void
  note(what: string, value: number): void
}

export type Fault = {
  readonly name: string
  /** Says whether streams may be reset. */
  readonly mayReset: boolean
  play(stage: Stage): Promise<void>
}

/** Time after which a worker is known to be unreachable. */
const KNOWN_MS = 8000
/** Long enough to be set aside, and to be known as unreachable. */
const AWAY_MS = 3000
const LATE_MS = 5000
/** A commit that is not held up is complete by then. */
const SETTLED_MS = 100

export const FAULTS: Readonly<Record<string, Fault>> = {
  quiet: {
    ...{ name: 'nothing', mayReset: false },
    async play({ load, isSmall, must }) {
      await delay(isSmall ? 2000 : 5000)
      const odd = load.seen.filter(({ kind, status }) => status !== (kind === 'post' ? 201 : 200))
      must(odd.length === 0, `some requests returned ${statuses(odd)}`)
    },
  },
  'worker-killed': {
    ...{ name: 'a worker is killed between prepare and commit', mayReset: true },
    async play(stage) {
      const { workers } = stage.scene.cluster
      for (let i = 0; i < (stage.isSmall ? 2 : 6); i++) {
        const node = workers[i % workers.length]!
        await halfCommitted(stage, node)
        await node.stop('immediate')
        stage.scene.networkOf(node).release()
        if (i % 2 === 1) await delay(AWAY_MS)
        await node.start()
        await stage.heal()
      }
    },
  },
  'worker-frozen': {
    ...{ name: 'a worker is frozen between prepare and commit', mayReset: true },
    async play(stage) {
      const node = stage.scene.cluster.workers[0]!
      await halfCommitted(stage, node)
      node.freeze()
      stage.scene.networkOf(node).release()
      await delay(AWAY_MS)
      node.thaw()
      await stage.heal()
    },
  },
  'commit-late': {
    ...{ name: 'the log is read while a worker has not committed', mayReset: true },
    async play(stage) {
      for (const node of stage.scene.cluster.workers.slice(0, stage.isSmall ? 1 : undefined)) {
        await halfCommitted(stage, node)
        await withoutNews(stage.scene)
        const fromMs = performance.now()
        await delay(LATE_MS)
        const during = stage.load.seen.filter(({ kind, atMs }) => kind !== 'post' && atMs >= fromMs)
        const odd = during.filter(({ status }) => status !== 200)
        stage.must(odd.length === 0, `requests returned ${statuses(odd)}`)
        stage.scene.networkOf(node).release()
        await stage.heal()
      }
    },
  },
  'coordinator-killed': {
    ...{ name: 'the coordinator is killed before a worker commits', mayReset: true },
    async play(stage) {
      const { coordinator, workers } = stage.scene.cluster
      for (let i = 0; i < (stage.isSmall ? 1 : 4); i++) {
        const node = workers[i % workers.length]!
        await halfCommitted(stage, node)
        await coordinator.stop('immediate')
        stage.scene.networkOf(node).release()
        await delay(300)
        await coordinator.start()
        await stage.heal()
      }
    },
  },
  'service-started': {
    ...{ name: 'a service starts before a worker commits', mayReset: true },
    async play(stage) {
      const { cluster, services, networkOf } = stage.scene
      for (const [i, node] of cluster.workers.entries()) {
        await halfCommitted(stage, node)
        await services[1].kill()
        if (i === 0) await node.stop('immediate')
        if (i === 0) networkOf(node).release()
        if (i === 0) await node.start()
        await services[1].start()
        networkOf(node).release()
        await stage.heal()
      }
    },
  },
  'worker-away': {
    ...{ name: 'a worker is unreachable for longer', mayReset: true },
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
      must(all(of('live', null), 200), `live reads returned ${statuses(of('live', null))}`)
      const past = of('past', node!.port)
      must(all(past, 503), `history of its corridors returned ${statuses(past)}`)
      must(
        past.every(({ hasRetryAfter }) => hasRetryAfter),
        'a 503 came without Retry-After',
      )
      must(all(of('post', node!.port), 503), `POST there: ${statuses(of('post', node!.port))}`)
      for (const { port } of others) {
        must(all(of('past', port), 200), `history of others returned ${statuses(of('past', port))}`)
        must(all(of('post', port), 201), `POST of others returned ${statuses(of('post', port))}`)
      }
      for (const text of ready)
        must(/worker/.test(text), `/readyz does not name the worker: ${text}`)
    },
  },
}

function statuses(seen: readonly Seen[]): string {
  const counts = Map.groupBy(seen, ({ status, kind, error }) => `${kind} ${status} ${error}`)
  return [...counts].map(([what, { length }]) => `${what} x ${length}`).join(', ') || 'nothing'
}

/**
 * Withholds from a worker the COMMIT of a prepared transaction; resolves when a batch is partly
 * visible. Until it is delivered nothing else is recorded, as the log admits one writer at a time.
 */
async function halfCommitted({ scene, load, note, must }: Stage, node: Node): Promise<void> {
  const network = scene.networkOf(node)
  await until('a batch is there in part', async () => {
    network.keepFrom('COMMIT PREPARED')
    await until('a commit is held back', async () => network.kept > 0)
    await delay(SETTLED_MS)
    const [row] = await scene.sql<[{ count: number }]>`
      select count(*)::int as count from observations o
      join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
      where p.provider_id = ${CROWD} and o.rate = ${load.sent}`
    const isInPart = row.count > 0 && row.count < CROWD_TARGETS.length
    if (!isInPart) network.release()
    return isInPart
  })
  const inDoubt = await preparedOn(node)
  must(inDoubt > 0, 'no commit was in doubt')
  note('commits in doubt', inDoubt)
}

/**
 * Cuts the connections on which services receive change notifications, so that they read the log
 * again.
 */
const withoutNews = ({ sql }: Scene) => sql`
  select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %'`

async function preparedOn(node: Node): Promise<number> {
  const sql = connect(node.url, { connectionsMax: 1 })
  try {
    const [row] = await sql`select count(*)::int as count from pg_prepared_xacts`
    return row!.count
  } finally {
    await sql.end({ timeout: 0 })
  }
}
