import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import examples from '~/wire/openapi/examples.json'
import { exampleScene } from '../contract/example-scene.ts'
import { documentOf } from '../support/contract.ts'
import { scratchFolder } from '../support/scratch.ts'
import { ran } from './toolbox.ts'

const MINUTE_MS = 60_000

/** What runs a sample, by its language: a file of that name, from a folder of its own. */
const PROGRAMS: Readonly<Record<string, readonly [name: string, ...command: string[]]>> = {
  Shell: ['sample.sh', 'sh'],
  JavaScript: ['sample.mjs', 'node'],
  Python: ['sample.py', 'python3'],
  PHP: ['sample.php', 'php'],
}

type Sample = { lang: string; source: string }
type Operation = { id: string; method: string; isFile: boolean; samples: Sample[] }
type Recorded = Record<string, Record<string, Record<string, object>>>

/** Recorded with fewer rows than a sample asks for, or with figures that rise with each question. */
const OTHERWISE = ['getHistory', 'getTimeSeries', 'getUsage']

describe('the samples of the served document', () => {
  let scene: Awaited<ReturnType<typeof exampleScene>>
  let operations: Operation[]

  beforeAll(async () => {
    scene = await exampleScene()
    const { paths } = await documentOf({ fetch: () => fetch(`${scene.origin}/openapi.json`) })
    operations = Object.values(paths).flatMap((methods) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: String(operation.operationId),
        method,
        isFile: JSON.stringify(operation.responses).includes('application/gzip'),
        samples: operation['x-codeSamples'] as Sample[],
      })),
    )
  }, MINUTE_MS)
  afterAll(() => scene.end())

  /** What the sample of an operation prints, and the folder that it runs in. */
  async function run({ id, samples }: Operation, language: string) {
    const [file, ...command] = PROGRAMS[language]!
    const { source } = samples.find(({ lang }) => lang === language)!
    const folder = await scratchFolder()
    await Bun.write(join(folder, file), source)
    const env = { CORRIDOR_KEY: scene.accounts.realtime }
    const { status, output, errors } = await ran([...command, file], folder, env)
    expect([id, status, errors]).toEqual([id, 0, errors])
    return { output, folder }
  }

  const those = (method: string, isFile: boolean) =>
    operations.filter((operation) => operation.method === method && operation.isFile === isFile)

  test.each(Object.keys(PROGRAMS))(
    'in %s print the recorded answers',
    async (language) => {
      for (const operation of those('get', false)) {
        const { id } = operation
        const { realtime, answer } = (examples as unknown as Recorded)[id]![200]!
        const recorded = realtime ?? answer!
        const got = JSON.parse((await run(operation, language)).output)
        if (OTHERWISE.includes(id)) expect(Object.keys(got)).toEqual(Object.keys(recorded))
        else expect([id, got]).toEqual([id, recorded])
      }
    },
    2 * MINUTE_MS,
  )

  test.each(Object.keys(PROGRAMS))('in %s save files', async (language) => {
    for (const operation of those('get', true)) {
      const { folder } = await run(operation, language)
      const [name] = [...new Bun.Glob('*.gz').scanSync(folder)]
      const rows = new TextDecoder().decode(
        Bun.gunzipSync(await Bun.file(join(folder, name!)).bytes()),
      )
      const [header, ...others] = rows.split('\r\n')
      expect(header).toContain('corridor,')
      expect(others.length).toBeGreaterThan(2)
    }
  })

  test.each(Object.keys(PROGRAMS))('in %s record', async (language) => {
    for (const operation of those('post', false)) {
      const { output } = await run(operation, language)
      expect(JSON.parse(output)).toEqual({ inserted: 1 })
    }
  })
})
