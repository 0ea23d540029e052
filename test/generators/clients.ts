import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import examples from '~generated/examples.json'
import { exampleScene } from '../contract/example-scene.ts'
import { ROOT } from '../support/child.ts'
import { HANG_MS, ran, toolbox } from './toolbox.ts'

setDefaultTimeout(HANG_MS)

const TROUBLE = /\b(warn(ing)?|error|fail(ed|ure)?)\b/i

type Generator = {
  readonly command: readonly [tool: string, ...args: string[]]
  /** Files with its settings, if they are not arguments. */
  readonly files?: Readonly<Record<string, string>>
  /** A program that requests 200 pounds in shillings with the generated client. */
  readonly program: string
}

const QUESTION = `{ from: 'GBP', to: 'KES', amount: 200 }`
/**
 * Code that the types must allow and refuse, so that they are neither `unknown` nor `any`; and the
 * response.
 */
const ENDING = `
export const rate: number | undefined = data.best?.rate
// @ts-expect-error best may be null
data.best.rate
console.log(JSON.stringify(data))
`
const GIVEN = `
declare const process: { env: { KEY: string } }
export const key = process.env.KEY
`

/** Popular generators, each with only its required settings. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    command: ['openapi-typescript', 'openapi.json', '-o', 'made/schema.ts'],
    program: `
import createClient from 'openapi-fetch'
import document from './openapi.json'
import type { paths } from './made/schema.ts'
import { key } from './given.ts'
const client = createClient<paths, 'application/json'>({
  baseUrl: document.servers[0]!.url,
  headers: { 'X-API-Key': key },
})
const { data, error } = await client.GET('/convert', { params: { query: ${QUESTION} } })
if (!data) throw new Error(error.error)
`,
  },
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'made', '--no-log-file'],
    program: `
import { client } from './made/client.gen.ts'
import { convertAmount } from './made/sdk.gen.ts'
import { key } from './given.ts'
client.setConfig({ auth: ({ name }) => (name === 'X-API-Key' ? key : undefined) })
const { data, error } = await convertAmount({ query: ${QUESTION} })
if (!data) throw new Error(error.error)
`,
  },
  orval: {
    command: ['orval', '--config', 'orval.config.cjs', '--fail-on-warnings'],
    files: {
      'orval.config.cjs': `module.exports = {
  corridor: {
    input: './openapi.json',
    output: {
      target: './made/api.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
      override: { contentType: { include: ['application/json'] } },
    },
  },
}`,
    },
    program: `
import { convertAmount } from './made/api.ts'
import { key } from './given.ts'
const { status, data } = await convertAmount(${QUESTION}, { headers: { 'X-API-Key': key } })
if (status !== 200) throw new Error(data.error)
`,
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'made'],
    program: `
import { Api } from './made/Api.ts'
import { key } from './given.ts'
const api = new Api({ baseApiParams: { headers: { 'X-API-Key': key } } })
const { data } = await api.convert.convertAmount(${QUESTION})
`,
  },
  oazapfts: {
    command: ['oazapfts', 'openapi.json', 'made/api.ts'],
    program: `
import { convertAmount, defaults } from './made/api.ts'
import { key } from './given.ts'
defaults.headers = { 'X-API-Key': key }
const { status, data } = await convertAmount('GBP', 'KES', { amount: 200 })
if (status !== 200) throw new Error(data.error)
`,
  },
  kubb: {
    command: ['kubb', 'generate'],
    files: {
      'kubb.config.ts': `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  input: { path: './openapi.json' },
  output: { path: './made', format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'types.ts' } }),
    pluginClient({ output: { path: 'client.ts' }, client: 'fetch', bundle: true }),
  ],
})`,
    },
    program: `
import document from './openapi.json'
import { convertAmount } from './made/client.ts'
import { key } from './given.ts'
const data = await convertAmount(${QUESTION}, {
  baseURL: document.servers[0]!.url,
  headers: { 'X-API-Key': key },
})
`,
  },
}

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitOverride: true },
    ...{ target: 'ESNext', module: 'ESNext', moduleResolution: 'bundler', noEmit: true },
    ...{ lib: ['ESNext', 'DOM', 'DOM.Iterable'], types: [], skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, resolveJsonModule: true },
  },
  include: ['*.ts', 'made'],
  exclude: ['*.config.ts'],
}

describe('a client of the served document', () => {
  let scene: Awaited<ReturnType<typeof exampleScene>>
  let document: string

  beforeAll(async () => {
    await toolbox()
    scene = await exampleScene()
    document = await (await fetch(`${scene.origin}/openapi.json`)).text()
  })
  afterAll(() => scene.end())

  test.each(Object.keys(GENERATORS))(
    'by %s compiles strictly and gets the recorded response',
    async (name) => {
      const { command, files = {}, program } = GENERATORS[name]!
      const folder = join(await toolbox(), 'work', name.replace(/\W/g, '-'))
      await rm(folder, { recursive: true, force: true })
      await mkdir(join(folder, 'made'), { recursive: true })
      const written = {
        ...files,
        'openapi.json': document,
        'tsconfig.json': JSON.stringify(TSCONFIG),
        'given.ts': GIVEN,
        'program.ts': program + ENDING,
      }
      for (const [file, text] of Object.entries(written)) await Bun.write(join(folder, file), text)
      const [tool, ...args] = command
      const bin = join(await toolbox(), 'node_modules/.bin', tool)
      const generated = await ran(['node', bin, ...args], folder)
      const said = generated.output + generated.errors
      expect([generated.status, said]).toEqual([0, expect.not.stringMatching(TROUBLE)])
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
      const compiled = await ran(['node', compiler, '-p', folder], folder)
      expect(compiled).toEqual({ status: 0, output: '', errors: '' })
      const env = { KEY: scene.accounts.realtime }
      const { status, output, errors } = await ran([process.execPath, 'program.ts'], folder, env)
      expect([status, errors]).toEqual([0, ''])
      expect(JSON.parse(output)).toEqual(examples.convertAmount[200].realtime)
    },
  )
})
