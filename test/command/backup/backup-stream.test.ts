import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, observation, stockedDatabase } from '../../store/samples.ts'
import { BARE_ENV, ROOT } from '../../support/child.ts'
import { corridor } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

/** More rows than any pipe holds, with incompressible content. */
const ROWS = 4000

let origin: FreshDatabase

beforeAll(async () => {
  origin = await stockedDatabase()
  const nowMs = Date.now()
  const rows = Array.from({ length: ROWS }, (_, i) =>
    observation({ effectiveMs: nowMs - i, notes: randomBytes(200).toString('base64') }),
  )
  await importObservations({ database: origin, rows: inArrays(rows, 500) })
}, TEST_MS_MAX)
afterAll(() => origin.close())

type Streams = { stdin?: Uint8Array<ArrayBuffer>; cwd?: string }

const started = (args: string[], { url }: FreshDatabase, { stdin, cwd = ROOT }: Streams = {}) =>
  Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...args], {
    cwd,
    env: { ...BARE_ENV, DATABASE_URL: url },
    stdin: stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function finished(child: ReturnType<typeof started>) {
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, status }
}

const observationsIn = async ({ sql }: FreshDatabase) =>
  sql`select o::text from observations o order by id`.values()

describe('backup - and restore -', () => {
  test(
    'pass everything through a pipe, and their messages on stderr',
    async () => {
      const cwd = await scratchFolder()
      const backup = await finished(started(['backup', '-', '--json'], origin, { cwd }))
      expect([backup.status, await readdir(cwd)]).toEqual([0, []])
      expect(JSON.parse(backup.stderr)).toEqual({ file: '-', tables: expect.any(Number) })
      expect(Bun.gunzipSync(backup.stdout).length).toBeGreaterThan(ROWS * 200)
      const restored = await freshDatabase()
      const stdin = new Uint8Array(backup.stdout)
      const { status, stdout } = await finished(started(['restore', '-'], restored, { stdin }))
      expect([status, Buffer.from(stdout).toString()]).toEqual([
        0,
        expect.stringContaining('rows restored'),
      ])
      expect(await observationsIn(restored)).toEqual(await observationsIn(origin))
      await restored.close()
    },
    TEST_MS_MAX,
  )

  test('backup fails if its reader disconnects', async () => {
    const child = started(['backup', '-'], origin)
    const reader = child.stdout.getReader()
    expect((await reader.read()).value).toBeDefined()
    await reader.cancel()
    const stderr = await new Response(child.stderr).text()
    expect([await child.exited, stderr]).toEqual([
      1,
      'corridor: standard output cannot be written: its reader is gone; the backup is incomplete\n',
    ])
  })

  test('restore restores nothing from a standard input that is cut off', async () => {
    const { stdout } = await finished(started(['backup', '-'], origin))
    const restored = await freshDatabase()
    for (const stdin of [new Uint8Array(0), new Uint8Array(stdout.slice(0, stdout.length / 2))]) {
      const { status, stderr } = await finished(started(['restore', '-'], restored, { stdin }))
      expect([status, stderr]).toEqual([1, expect.stringContaining('standard input: the file is')])
    }
    expect(await restored.sql`select from currencies`).toHaveLength(0)
    await restored.close()
  })

  test('a terminal is refused in both directions', async () => {
    for (const [command, stream] of [
      ['backup', 'output'],
      ['restore', 'input'],
    ] as const) {
      let shown = ''
      const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), command, '-'], {
        env: { ...BARE_ENV, DATABASE_URL: origin.url },
        terminal: {
          cols: 200,
          rows: 24,
          data: (_, bytes) => {
            shown += Buffer.from(bytes).toString()
          },
        },
      })
      expect(await child.exited).toBe(1)
      child.terminal?.close()
      expect(shown).toContain(`corridor: standard ${stream} is a terminal`)
    }
  })

  test('a file named - can still be used', async () => {
    const path = join(await scratchFolder(), '-')
    expect((await corridor(['backup', path], origin.url)).status).toBe(0)
  })
})
