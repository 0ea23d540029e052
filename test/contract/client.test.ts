import { describe, expect, test } from 'bun:test'
import { copyFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryStore } from '../http/memory-store.ts'
import { answerable } from '../http/questions.ts'
import { ROOT, scriptOutput } from '../support/child.ts'
import { documentOf } from '../support/contract.ts'
import { scratchFolder } from '../support/scratch.ts'
import { API } from '../support/world.ts'
import { clientOf, everyCall, supportedCurrencies } from './client.ts'

const COMPILE_MS_MAX = 60_000

const TSCONFIG = {
  compilerOptions: {
    ...(await Bun.file(join(ROOT, 'tsconfig.json')).json()).compilerOptions,
    lib: ['ESNext', 'DOM', 'DOM.Iterable'],
    types: [],
    paths: {},
  },
  include: ['*.ts'],
}

/** What the types made of the document must refuse, and so are no `any`. */
const MISUSES = `
import { clientOf } from './client.ts'

const client = clientOf({ baseUrl: '', key: '', fetch })
// @ts-expect-error there is no such path
client.GET('/nope', {})
// @ts-expect-error to is required
client.GET('/rates', { params: { query: { from: 'USD' } } })
// @ts-expect-error a list is an array
client.GET('/fetch-multi', { params: { query: { from: 'USD', to: 'KES,NGN' } } })
// @ts-expect-error a period is one of four words
client.GET('/change', { params: { query: { from: 'USD', to: 'KES', period: '2d' } } })
// @ts-expect-error a row needs its rate
client.POST('/rates', { body: { provider_id: 'a', from: 'USD', to: 'KES' } })
const { data } = await client.GET('/convert', {
  params: { query: { from: 'USD', to: 'KES', amount: 1 } },
})
// @ts-expect-error best may be null
data?.best.rate
`

describe('a client made of the document', () => {
  const world = answerable({ store: new MemoryStore() })
  const asked = new Set<string>()
  const client = clientOf({
    baseUrl: API,
    key: world.key('enterprise', 'treasury'),
    fetch: (request) => {
      asked.add(`${request.method} ${new URL(request.url).pathname.replace('/api/v1', '')}`)
      return world.app.handle(request)
    },
  })

  test(
    'compiles, and refuses what the document does not offer',
    async () => {
      const folder = await scratchFolder()
      const file = (name: string) => join(folder, name)
      await Bun.write(file('openapi.json'), JSON.stringify(await documentOf(world.app)))
      const types = await scriptOutput(['test/contract/client-types.ts', file('openapi.json')])
      expect(types).toEqual({ status: 0, stdout: expect.any(String), stderr: '' })
      await Bun.write(file('client-paths.ts'), types.stdout)
      await Bun.write(file('misuses.ts'), MISUSES)
      await Bun.write(file('tsconfig.json'), JSON.stringify(TSCONFIG))
      await copyFile(join(import.meta.dir, 'client.ts'), file('client.ts'))
      await symlink(join(ROOT, 'node_modules'), file('node_modules'))
      const compiled = await scriptOutput(['node_modules/typescript/bin/tsc', '-p', folder])
      expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' })
    },
    COMPILE_MS_MAX,
  )

  test('calls every operation, and gets what its types say', async () => {
    const answers = await everyCall(client)
    expect(answers.map(([status]) => status)).toEqual(
      answers.map(([, value]) => (value === 1 ? 201 : 200)),
    )
    expect(answers.filter(([, value]) => value === undefined)).toEqual([])
    const { paths } = await documentOf(world.app)
    const offered = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect([...asked].sort()).toEqual(offered.sort())
  })

  test('tells errors apart by their code', async () => {
    expect(await supportedCurrencies(client)).toContain('KES')
  })
})
