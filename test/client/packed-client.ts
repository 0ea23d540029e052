import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '../../package.json'
import { MemoryStore } from '../http/memory-store.ts'
import { answerable } from '../http/questions.ts'
import { ROOT } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { noEvidence } from '../support/evidence.ts'
import { heldFiles } from '../support/files.ts'
import { scratchFolder } from '../support/scratch.ts'
import { entriesOf } from './client-document.ts'

/** A log of one leaf. */
const CHECKPOINT = `log.example\n1\n${Buffer.alloc(32).toString('base64')}\n\n— log.example AAAAAAA=\n`

export const EVERY_CALL = 'every-call.js'

/**
 * The client as its users have it: packed and installed in an empty folder, with a service to call
 * and a program that calls every operation.
 */
export async function packedClient() {
  const evidence = {
    ...noEvidence,
    head: async () => ({ note: CHECKPOINT }),
    indexOf: async () => 0,
  }
  const files = heldFiles(Bun.gzipSync('rate\r\n'))
  const world = answerable({ store: new MemoryStore(), files, evidence })
  const key = world.key('enterprise', 'treasury')
  const asked = new Set<string>()
  const folder = await scratchFolder()
  await installed(folder)
  await copyFile(join(import.meta.dir, EVERY_CALL), join(folder, EVERY_CALL))
  await Bun.write(join(folder, 'package.json'), '{"type":"module"}')
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const path = new URL(request.url).pathname.replace('/api/v1', '').replace(UUID, '{id}')
      asked.add(`${request.method} ${path}`)
      return world.app.handle(request)
    },
  })
  return {
    folder,
    document: () => documentOf(world.app),
    packed: (name: string) => Bun.file(join(folder, 'node_modules/corridor', name)),
    stop: () => server.stop(true),

    /**
     * Runs the program in a runtime that finds nothing but the client, and returns its calls and
     * their values.
     */
    async called(runtime: string): Promise<Calls> {
      asked.clear()
      const command = [runtime, EVERY_CALL, server.url.origin, key]
      const child = Bun.spawn(command, { cwd: folder, env: {}, stdout: 'pipe', stderr: 'pipe' })
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      if ((await child.exited) !== 0 || stderr !== '')
        throw new Error(`the program says: ${stderr}`)
      const values: Record<string, unknown> = JSON.parse(stdout)
      return { values, asked: [...asked].sort() }
    },
    /** Returns all possible calls, in the form of `called`. */
    async offered() {
      const operations = entriesOf(await documentOf(world.app))
      return {
        ids: operations.map(({ operation }) => operation.operationId).sort(),
        asked: operations
          .map(({ method, path }) => `${method} ${path}`)
          .map((asked) => asked.replace('{date}', '2026-03-04').replace('{month}', '2026-02'))
          .sort(),
      }
    },
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/

export type PackedClient = Awaited<ReturnType<typeof packedClient>>

type Calls = { readonly values: Record<string, unknown>; readonly asked: readonly string[] }

/** Installs our package into a folder as a package manager does: the files of the pack. */
async function installed(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/corridor')
  await mkdir(target, { recursive: true })
  const pack = Bun.spawn([process.execPath, 'pm', 'pack', '--quiet', '--destination', folder], {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = await new Response(pack.stderr).text()
  if ((await pack.exited) !== 0) throw new Error(`the package cannot be packed: ${said}`)
  const tar = Bun.spawn(
    [
      'tar',
      'xzf',
      join(folder, `corridor-${version}.tgz`),
      '-C',
      target,
      '--strip-components',
      '1',
    ],
    { stdout: 'ignore', stderr: 'inherit' },
  )
  if ((await tar.exited) !== 0) throw new Error('the pack cannot be unpacked')
}
