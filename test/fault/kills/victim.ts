import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runningPostmaster } from '~/store/embedded/postmaster.ts'
import { run } from '~/store/embedded/run.ts'
import { until } from '../../support/until.ts'
import { copyOf } from '../scene.ts'
import { childrenOf } from '../server.ts'
import type { Template } from '../template.ts'

/** A PostgreSQL that is killed repeatedly. */
export type Victim = {
  readonly settings: Readonly<Record<string, string>>
  /** `kill -9` of all its processes. */
  kill(): Promise<void>
  /** Resolves when it accepts connections again; restarts it if nothing else does. */
  back(): Promise<void>
  stop(): Promise<void>
}

/** A server that the service does not manage, and that an outside process restarts. */
export async function external(template: Template, folder: string): Promise<Victim> {
  const server = await copyOf(template, { folder, name: 'data' })
  await server.start()
  return {
    settings: { DATABASE_URL: template.serviceUrl(server.port), DATA_DIR: folder },
    kill: () => killed(server.data),
    // a process of the killed server that ends late delays the first attempt
    back: () => until('the server', () => server.start().then(always, never)),
    stop: () => server.stop('immediate'),
  }
}

/** The embedded server, which the service restarts by itself. */
export async function embedded(template: Template, folder: string): Promise<Victim> {
  const dataDir = join(folder, 'embedded')
  await mkdir(dataDir)
  const { directory } = template.home
  const { code, output } = await run('/bin/cp', ['-a', directory, join(dataDir, 'postgres')], null)
  if (code !== 0) throw new Error(`the template was not copied: ${output}`)
  const data = join(dataDir, 'postgres', 'data')
  return {
    settings: { DATA_DIR: dataDir },
    kill: () => killed(data),
    back: () =>
      until('the embedded server', async () => (await runningPostmaster(data))?.status === 'ready'),
    stop: async () => {},
  }
}

const always = () => true
const never = () => false

async function killed(data: string): Promise<void> {
  const pid = (await runningPostmaster(data))?.pid
  if (!pid) throw new Error(`no server runs on ${data}`)
  for (const id of [pid, ...childrenOf(pid)])
    try {
      process.kill(id, 'SIGKILL')
    } catch {}
  await until('the end of the server', async () => (await runningPostmaster(data))?.pid !== pid)
}
