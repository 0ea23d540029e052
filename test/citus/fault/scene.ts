import { join } from 'node:path'
import { freePort } from '~/runtime/listener.ts'
import { connect, type Sql } from '~/store/database.ts'
import { command } from '../../bench/process.ts'
import { DatabaseProxy } from '../../fault/proxy.ts'
import { Replica } from '../../fault/replica.ts'
import { SharedClock } from '../../fault/shared-clock.ts'
import { until } from '../../support/until.ts'
import { type Cluster, type Node, openCluster } from '../cluster.ts'
import { applyCatalogue } from '../sides.ts'

/** Batches of many corridors, whose rows are on every worker. */
export const CROWD = 'crowd'
/** Batches of one corridor. */
export const LONELY = 'lonely'

const SOURCE = 'QAA'
const targetsOf = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${letter}A${String.fromCharCode(65 + i)}`)
/** Corridors that the batches of many set, all at once. */
export const CROWD_TARGETS = targetsOf('R', 12)
const LONELY_TARGETS = targetsOf('S', 8)

export const pathOf = (target: string): string => `from=${SOURCE}&to=${target}`
export const rowOf = (provider: string, target: string, rate: number): object => {
  return { provider_id: provider, from: SOURCE, to: target, rate }
}

/** A corridor that is written alone, and the worker that stores its rows. */
export type Lone = { readonly target: string; readonly node: Node }

/** A cluster with the tables distributed over it, two services, and corridors on each worker. */
export type Scene = {
  readonly cluster: Cluster
  /** The network between the coordinator and a worker. */
  networkOf(node: Node): DatabaseProxy
  readonly services: readonly [Replica, Replica]
  readonly lone: readonly Lone[]
  readonly key: string
  readonly sql: Sql
  /** The highest rate so far: each batch has one of its own. */
  rate: number
  close(): Promise<void>
}

export async function openScene(programs: string, folder: string): Promise<Scene> {
  const networks = new Map<number, DatabaseProxy>()
  const wayTo = async (port: number) => {
    const network = await DatabaseProxy.to(port)
    networks.set(port, network)
    return network.port
  }
  const networkOf = ({ port }: Node) => networks.get(port)!
  const cluster = await openCluster({ programs, wayTo })
  const sql = connect(cluster.url, { connectionsMax: 2 })
  const services: Replica[] = []
  const close = async () => {
    await Promise.all(services.map((service) => service.kill()))
    await sql.end({ timeout: 1 })
    await cluster.close()
    for (const network of networks.values()) network.close()
  }
  try {
    const settings = { DATABASE_URL: cluster.url }
    await command(['migrate'], settings)
    await command(['distribute'], settings)
    const codes = [SOURCE, ...CROWD_TARGETS, ...LONELY_TARGETS]
    const currencies = codes.map((code) => ({ code, name: `The ${code}` }))
    const providers = [CROWD, LONELY].map((id) => ({ id, name: id, provider_type: 'imto' }))
    await applyCatalogue(cluster, { folder, catalogue: { currencies, providers } })
    const account = ['--email', 'fault@example.com', '--plan', 'enterprise', '--role', 'treasury']
    const made = await command(['account', 'create', ...account, '--json'], settings)
    const { key } = JSON.parse(made)
    const clock = join(folder, 'clock')
    await SharedClock.create(clock, 0)
    for (const name of ['a', 'b'])
      services.push(serviceOf(name, { url: cluster.url, folder, clock }))
    await Promise.all(services.map((service) => service.start()))
    const [a, b] = services as [Replica, Replica]
    await posted(a, key, [...CROWD_TARGETS, ...LONELY_TARGETS])
    await until('both services show every corridor', async () => {
      const texts = await Promise.all([a, b].map((service) => corridorsOf(service, key)))
      return texts.every((text) => text.split('"from"').length > codes.length - 1)
    })
    const lone = await placed({ cluster, networkOf, sql })
    return { cluster, networkOf, services: [a, b], lone, key, sql, rate: FIRST_RATE, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Place = { readonly url: string; readonly folder: string; readonly clock: string }

function serviceOf(name: string, { url, folder, clock }: Place): Replica {
  const settings = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    CLOCK_FILE: clock,
    REFERENCE_FEED: 'none',
    QUOTE_SUSPECT_PCT: 'off',
    QUOTE_IMPLAUSIBLE_TIMES: 'off',
    QUOTA_ENTERPRISE: '1000000000',
    LOG_LEVEL: 'warn',
  }
  return new Replica(name, freePort('127.0.0.1'), settings, join(folder, `${name}.log`))
}

/** Records the first price of each corridor, so that all of them exist from the beginning. */
async function posted(service: Replica, key: string, targets: readonly string[]): Promise<void> {
  const rows = targets.map((target) =>
    rowOf(target.startsWith('R') ? CROWD : LONELY, target, FIRST_RATE),
  )
  const answer = await fetch(`${service.origin}/api/v1/rates`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  if (answer.status !== 201) throw new Error(`POST /rates: ${await answer.text()}`)
}

async function corridorsOf({ origin }: Replica, key: string): Promise<string> {
  const answer = await fetch(`${origin}/api/v1/corridors`, { headers: { 'x-api-key': key } })
  return answer.text()
}

/** The rate of the first batch; later batches count up. */
const FIRST_RATE = 1000

type Placing = Pick<Scene, 'cluster' | 'networkOf' | 'sql'>

async function placed({ cluster, networkOf, sql }: Placing): Promise<Lone[]> {
  const rows = await sql<{ target: string; port: number }[]>`
    select c.target, n.nodeport as port from corridors c
    join pg_dist_placement p
      on p.shardid = get_shard_id_for_distribution_column('observations', c.id)
    join pg_dist_node n on n.groupid = p.groupid
    where c.target = any(${`{${LONELY_TARGETS.join()}}`}::text[])`
  return rows.map(({ target, port }) => {
    return { target, node: cluster.workers.find((node) => networkOf(node).port === port)! }
  })
}
