import { join } from 'node:path'
import { onLoadCore } from './cores.ts'
import type { Load, Seen } from './load.ts'

/** Drives a server by autocannon, in a process of its own. */
export async function autocannon(load: Load): Promise<Seen> {
  const script = join(import.meta.dir, 'autocannon-process.ts')
  const child = Bun.spawn(onLoadCore(['bun', script]), {
    stdin: Buffer.from(JSON.stringify(load)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${load.endpoint.name}: ${said}`)
  return JSON.parse(printed)
}
