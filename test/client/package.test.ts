import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { scriptOutput } from '../support/child.ts'
import { scratchFolder } from '../support/scratch.ts'
import { builtClient } from './build.ts'
import { entriesOf } from './client-document.ts'
import { expectEveryCall } from './expect-every-call.ts'
import { EVERY_CALL, type PackedClient, packedClient } from './packed-client.ts'

const PACK_MS_MAX = 60_000
const OWN_BYTES_MAX = 60_000

/** Misuses that the types generated from the document must refuse, and so are not `any`. */
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
// @ts-expect-error a method returns JSON
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
for await (const event of corridor.stream(['USD/KES'], { lastEventId: null })) {
  // @ts-expect-error not every event has a rate
  event.data.rate
  if (event.type === 'quote') event.data.rate.toFixed(event.data.corridor.length)
  if (event.type === 'best') event.data.best?.provider_name.at(0)
  // @ts-expect-error there is no such event
  if (event.type === 'nonsense') break
}
// @ts-expect-error corridors are a list, or all of them
corridor.stream('USD/KES')
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
  let client: PackedClient
  beforeAll(async () => {
    client = await packedClient()
  }, PACK_MS_MAX)
  afterAll(() => client.stop())

  test('calls every operation', () => expectEveryCall(client, process.execPath))

  test('has a method for every operation of the document, with its words', async () => {
    const types = (await client.packed('dist/client.d.ts').text()).replace(/\n *\* ?/g, ' ')
    const script = await import(join(client.folder, 'node_modules/corridor/dist/client.js'))
    const methods = Object.getOwnPropertyNames(script.Corridor.prototype)
    for (const { operation } of entriesOf(await client.document())) {
      expect(methods).toContain(operation.operationId)
      expect(types).toContain(operation.description.split('\n')[0]!)
    }
  })

  test('equals what the current document generates, to the letter', async () => {
    const { script, types } = await builtClient(await client.document(), await scratchFolder())
    expect(await client.packed('dist/client.js').text()).toBe(script)
    expect(await client.packed('dist/client.d.ts').text()).toBe(types)
  })

  test.each(['bundler', 'nodenext'])(
    'has types that refuse what the document does not offer, found by %s',
    async (moduleResolution) => {
      const module = moduleResolution === 'nodenext' ? moduleResolution : 'esnext'
      const options = { ...COMPILER_OPTIONS, module, moduleResolution, types: [] }
      const name = `tsconfig.${moduleResolution}.json`
      await Bun.write(join(client.folder, 'misuses.ts'), MISUSES)
      await Bun.write(join(client.folder, 'process.d.ts'), 'declare const process: any')
      const files = ['misuses.ts', 'process.d.ts', EVERY_CALL]
      const config = { compilerOptions: { ...options, allowJs: true, checkJs: true }, files }
      await Bun.write(join(client.folder, name), JSON.stringify(config))
      const tsc = await scriptOutput([
        'node_modules/typescript/bin/tsc',
        '-p',
        join(client.folder, name),
      ])
      expect(tsc).toEqual({ status: 0, stdout: '', stderr: '' })
    },
  )

  test('is one file that imports nothing, and is small', async () => {
    const text = await client.packed('dist/client.js').text()
    expect(text).not.toMatch(/^\s*(import|export .* from)\b|\bimport\(|\brequire\(/m)
    expect(text.length).toBeLessThan(OWN_BYTES_MAX)
    expect(text).toContain('Copyright (c) 2023 Drew Powers')
  })
})
