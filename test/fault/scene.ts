import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '~/runtime/listener.ts'
import type { Database } from '~/store/database.ts'
import { run } from '~/store/embedded/run.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { Disk } from './disk.ts'
import { Ledger } from './ledger.ts'
import { DatabaseProxy } from './proxy.ts'
import { Replica } from './replica.ts'
import { Server } from './server.ts'
import { SharedClock } from './shared-clock.ts'
import { databaseAt, type Template } from './template.ts'
import { CORRIDORS, SMALL_QUOTA } from './world.ts'

const REPLICAS = ['a', 'b', 'c']

export type SceneOptions = {
  /** A synchronous standby of the primary. */
  readonly hasStandby?: boolean
  /** Size in megabytes of a disk for the database alone. */
  readonly diskMb?: number
}

/** A PostgreSQL, three services with a separate network to it each, a balancer and a clock. */
export type Scene = {
  readonly template: Template
  readonly folder: string
  readonly clock: SharedClock
  readonly server: Server
  readonly standby: Server | null
  readonly disk: Disk | null
  readonly proxies: readonly DatabaseProxy[]
  readonly replicas: readonly Replica[]
  readonly balancer: Balancer
  readonly ledger: Ledger
  /** The superuser's connection to the current primary, without the proxies. */
  admin: Database
  /** Units that may be lost with killed processes. */
  mayLose: number
  /** Sets every clock by this many milliseconds. */
  turn(ms: number): void
  close(): Promise<void>
}

export async function openScene(
  template: Template,
  folder: string,
  options: SceneOptions = {},
): Promise<Scene> {
  await mkdir(folder, { mode: 0o755 })
  const disk = options.diskMb ? await Disk.mount(join(folder, 'disk'), options.diskMb) : null
  const server = await copyOf(template, { folder, name: disk ? 'disk/data' : 'data' })
  const standby = options.hasStandby ? await copyOf(template, { folder, name: 'standby' }) : null
  if (standby) await follow(standby, { template, primary: server })
  await server.start()
  await standby?.start()
  const proxies = await Promise.all(REPLICAS.map(() => DatabaseProxy.to(server.port)))
  const clockPath = join(folder, 'clock')
  const clock = await SharedClock.create(clockPath, 0)
  const replicas = REPLICAS.map((name, i) => {
    const url = template.serviceUrl(proxies[i]!.port)
    const settings = settingsOf({ url, clockPath, folder })
    return new Replica(name, freePort('127.0.0.1'), settings, join(folder, `${name}.log`))
  })
  const admin = databaseAt(template.adminUrl(server.port))
  if (standby) await admin.sql.unsafe(`alter system set synchronous_standby_names = '*'`)
  if (standby) await admin.sql`select pg_reload_conf()`
  await Promise.all(replicas.map((replica) => replica.start()))
  const balancer = await openBalancer(replicas, folder)
  const ledger = new Ledger(CORRIDORS, template.sinceMs)
  const scene: Scene = {
    ...{
      template,
      folder,
      clock,
      server,
      standby,
      disk,
      proxies,
      replicas,
      balancer,
      ledger,
      admin,
    },
    mayLose: 0,
    turn(ms) {
      const fromMs = clock.now()
      clock.turn(ms)
      ledger.turned({ fromMs, toMs: clock.now() })
    },
    async close() {
      await balancer.close()
      await Promise.all(replicas.map((replica) => replica.kill()))
      for (const proxy of proxies) proxy.close()
      await scene.admin.close()
      await server.stop('immediate')
      await standby?.stop('immediate')
      await disk?.unmount()
    },
  }
  return scene
}

type Place = { readonly folder: string; readonly name: string }

/** A server on a copy of the template's data. */
export async function copyOf(template: Template, { folder, name }: Place): Promise<Server> {
  const { home, postgres } = template
  const data = join(folder, name)
  const { code, output } = await run('/bin/cp', ['-a', home.data, data], null)
  if (code !== 0) throw new Error(`the template was not copied: ${output}`)
  const logPath = join(folder, `${name.replaceAll('/', '-')}.log`)
  return new Server({ postgres, data, user: home.user, logPath })
}

type Pair = { readonly template: Template; readonly primary: Server }

/** Makes the standby follow, from a cold copy of the primary's files as base backup. */
async function follow({ data }: Server, { template, primary }: Pair): Promise<void> {
  const url = template.adminUrl(primary.port)
  await writeFile(join(data, 'standby.signal'), '')
  await writeFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${url}'\n`)
}

type Settings = { readonly url: string; readonly clockPath: string; readonly folder: string }

const settingsOf = ({ url, clockPath, folder }: Settings): Record<string, string> => ({
  DATABASE_URL: url,
  DATA_DIR: folder,
  CLOCK_FILE: clockPath,
  REFERENCE_FEED: 'none',
  QUOTE_SUSPECT_PCT: 'off',
  QUOTE_IMPLAUSIBLE_TIMES: 'off',
  MID_MAX_AGE: '30d',
  QUOTA_FREE: String(SMALL_QUOTA),
  QUOTA_PRO: '1000000000',
  QUOTA_ENTERPRISE: '1000000000',
  WEBHOOK_ALLOW: '127.0.0.1',
  LOG_LEVEL: 'warn',
})

export const removeScene = ({ folder }: Scene): Promise<void> =>
  rm(folder, { recursive: true, force: true })
