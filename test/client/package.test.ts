import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from 'bun'
import { version } from '../../package.json'
import { MemoryStore } from '../http/memory-store.ts'
import { answerable } from '../http/questions.ts'
import { ROOT, scriptOutput } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { noDayFiles } from '../support/day-files.ts'
import { scratchFolder } from '../support/scratch.ts'
import { builtClient } from './build.ts'
import { entriesOf } from './client-document.ts'

const PACK_MS_MAX = 60_000
const OWN_BYTES_MAX = 40_000
const EVERY_CALL = 'every-call.js'

/** What the types made of the document must refuse, and so are no `any`. */
const MISUSES = `
import { Corridor, CorridorError, type AnswerOf, type Schemas } from 'corridor/client'

const corridor = new Corridor({ url: 'https://corridor.example', key: 'crd_key' })
// @ts-expect-error there is no such operation
corridor.getNothing()
// @ts-expect-error to is required
corridor.getRates({ from: 'USD' })
// @ts-expect-error a list is an array
corridor.fetchMulti({ from: 'USD', to: 'KES,NGN' })
// @ts-expect-error a period is one of four words
corridor.getChange({ from: 'USD', to: 'KES', period: '2d' })
// @ts-expect-error a row needs its rate
corridor.recordRates({ provider_id: 'a', from: 'USD', to: 'KES' })
// @ts-expect-error the answer of a method is JSON
corridor.getRates({ from: 'USD', to: 'KES', format: 'csv' })
// @ts-expect-error only what records has an idempotency key
corridor.getRates({ from: 'USD', to: 'KES' }, { idempotencyKey: 'a' })
// @ts-expect-error the key goes into one of two headers
new Corridor({ url: '', key: '', keyHeader: 'Cookie' })
const converted: AnswerOf<'convertAmount'> = await corridor.convertAmount({
  ...{ from: 'USD', to: 'KES', amount: 1 },
})
const entry: Schemas['ConvertProviderEntry'] | null = converted.best
// @ts-expect-error best may be null
entry.rate
export const codeOf = (error: unknown) => {
  if (!(error instanceof CorridorError)) return null
  // @ts-expect-error there is no such code
  if (error.code === 'nonsense') return null
  // @ts-expect-error only some errors list currencies
  error.details?.supported_currencies
  return error.code === 'quota_exceeded' ? error.retryAfterSeconds : error.code
}
`

const COMPILER_OPTIONS = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ target: 'ES2023', lib: ['ES2023', 'DOM'], noEmit: true, skipLibCheck: false },
}

describe('the packed client in an empty folder', () => {
  const dayFiles = { ...noDayFiles, find: async () => Bun.gzipSync('rate\r\n') }
  const world = answerable({ store: new MemoryStore(), dayFiles })
  const key = world.key('enterprise', 'treasury')
  const asked = new Set<string>()
  let server: Server<undefined>
  let folder: string

  beforeAll(async () => {
    folder = await scratchFolder()
    server = Bun.serve({
      port: 0,
      fetch(request) {
        asked.add(`${request.method} ${new URL(request.url).pathname.replace('/api/v1', '')}`)
        return world.app.handle(request)
      },
    })
    await installed(folder)
    await copyFile(join(import.meta.dir, EVERY_CALL), join(folder, EVERY_CALL))
    await Bun.write(join(folder, 'package.json'), '{"type":"module"}')
  }, PACK_MS_MAX)
  afterAll(() => server.stop(true))

  const packed = (name: string) => Bun.file(join(folder, 'node_modules/corridor', name))

  /** The values that a program gets, run by a runtime that finds nothing but the client. */
  async function valuesBy(runtime: string): Promise<Record<string, unknown>> {
    asked.clear()
    const command = [runtime, EVERY_CALL, server.url.origin, key]
    const child = Bun.spawn(command, { cwd: folder, env: {}, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect([await child.exited, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  test.each(['bun', 'node'])('calls every operation, run by %s', async (name) => {
    const runtime = name === 'bun' ? process.execPath : Bun.which(name)
    if (!runtime) throw new Error(`there is no ${name} here: install it, version 20 or newer`)
    const values = await valuesBy(runtime)
    expect(Object.entries(values).filter(([, value]) => value === undefined)).toEqual([])
    expect(values).toMatchObject({ recordRates: 1, listCountries: 'AD', fetchOne: 'retail-a' })
    const document = await documentOf(world.app)
    const operations = entriesOf(document)
    const called = Object.keys(values).filter((id) => !['error', 'getHistoryPages'].includes(id))
    expect(called.sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort())
    const offered = operations.map(
      ({ method, path }) => `${method} ${path.replace('{date}', '2026-03-04')}`,
    )
    expect([...asked].sort()).toEqual(offered.sort())
  })

  test('has a method for every operation of the document, with its words', async () => {
    const types = (await packed('dist/client.d.ts').text()).replace(/\n *\* ?/g, ' ')
    const script = await import(join(folder, 'node_modules/corridor/dist/client.js'))
    const methods = Object.getOwnPropertyNames(script.Corridor.prototype)
    for (const { operation } of entriesOf(await documentOf(world.app))) {
      expect(methods).toContain(operation.operationId)
      expect(types).toContain(operation.description.split('\n')[0]!)
    }
  })

  test('is what the document of today makes of it, to the letter', async () => {
    const { script, types } = await builtClient(await documentOf(world.app), await scratchFolder())
    expect(await packed('dist/client.js').text()).toBe(script)
    expect(await packed('dist/client.d.ts').text()).toBe(types)
  })

  test.each(['bundler', 'nodenext'])(
    'has types that refuse what the document does not offer, found by %s',
    async (moduleResolution) => {
      const module = moduleResolution === 'nodenext' ? moduleResolution : 'esnext'
      const options = { ...COMPILER_OPTIONS, module, moduleResolution, types: [] }
      const name = `tsconfig.${moduleResolution}.json`
      await Bun.write(join(folder, 'misuses.ts'), MISUSES)
      await Bun.write(join(folder, 'process.d.ts'), 'declare const process: any')
      const files = ['misuses.ts', 'process.d.ts', EVERY_CALL]
      const config = { compilerOptions: { ...options, allowJs: true, checkJs: true }, files }
      await Bun.write(join(folder, name), JSON.stringify(config))
      const tsc = await scriptOutput(['node_modules/typescript/bin/tsc', '-p', join(folder, name)])
      expect(tsc).toEqual({ status: 0, stdout: '', stderr: '' })
    },
  )

  test('is one file that imports nothing, and is small', async () => {
    const text = await packed('dist/client.js').text()
    expect(text).not.toMatch(/^\s*(import|export .* from)\b|\bimport\(|\brequire\(/m)
    expect(text.length).toBeLessThan(OWN_BYTES_MAX)
    expect(text).toContain('Copyright (c) 2023 Drew Powers')
  })
})

/** Puts into a folder what a package manager puts there of our package: the files of the pack. */
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
