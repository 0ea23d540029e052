import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import examples from '~generated/examples.json'
import { exampleScene } from '../contract/example-scene.ts'
import { sealAll } from '../store/evidence/scene.ts'
import { documentOf } from '../support/contract.ts'
import { scratchFolder } from '../support/scratch.ts'
import { withAlert } from './alert.ts'
import { firstOf, HANG_MS, ran } from './toolbox.ts'

setDefaultTimeout(HANG_MS)

const LEAVES_MAX = 20_000

/** Programs that run a sample, by its language: a file of that name, from a folder of its own. */
const PROGRAMS: Readonly<Record<string, readonly [name: string, ...command: string[]]>> = {
  Shell: ['sample.sh', 'sh'],
  JavaScript: ['sample.mjs', 'node'],
  Python: ['sample.py', 'python3'],
  PHP: ['sample.php', 'php'],
}

type Sample = { lang: string; source: string }
type Kind = 'file' | 'stream' | 'json' | 'recording' | 'withdrawing'
type Operation = { id: string; kind: Kind; samples: Sample[] }
type Recorded = Record<string, Record<string, Record<string, object>>>

/** Recorded with fewer or other rows than a sample gets, or with metrics that rise. */
const OTHERWISE = [
  ...['getHistory', 'getTimeSeries', 'getUsage'],
  ...['listAlerts', 'listAlertDeliveries', 'deleteAlert'],
]

/** Recording and withdrawing are kinds of their own, since they change the responses of others. */
function kindOf(id: string, responses: string): Kind {
  if (id.startsWith('recordRates')) return 'recording'
  if (id === 'withdrawRates') return 'withdrawing'
  if (/application\/(gzip|vnd)|text\/plain/.test(responses)) return 'file'
  return responses.includes('text/event-stream') ? 'stream' : 'json'
}

/** The recorded response to a sample's request. */
function recordedOf(id: string): object {
  const { 200: read, 201: made } = (examples as unknown as Recorded)[id]!
  const { realtime, answer, ...named } = (read ?? made)!
  return realtime ?? answer ?? Object.values(named)[0]!
}

describe('the samples of the served document', () => {
  let scene: Awaited<ReturnType<typeof exampleScene>>
  let operations: Operation[]

  beforeAll(async () => {
    scene = await exampleScene()
    await sealAll(scene.database, { nowMs: scene.clock.now(), leavesMax: LEAVES_MAX })
    const { paths } = await documentOf({ fetch: () => fetch(`${scene.origin}/openapi.json`) })
    operations = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((operation) => ({
        id: String(operation.operationId),
        kind: kindOf(String(operation.operationId), JSON.stringify(operation.responses)),
        samples: operation['x-codeSamples'] as Sample[],
      })),
    )
  })
  afterAll(() => scene.end())

  /** Writes the sample of an operation into a folder of its own; returns how to run it there. */
  async function laid({ samples }: Operation, language: string) {
    const [file, ...command] = PROGRAMS[language]!
    const { source } = samples.find(({ lang }) => lang === language)!
    const folder = await scratchFolder()
    await Bun.write(join(folder, file), await withAlert(source, scene))
    const env = { CORRIDOR_KEY: scene.accounts.realtime }
    return { command: [...command, file], folder, env }
  }

  /** Returns the output of an operation's sample, and its folder. */
  async function run(operation: Operation, language: string) {
    const { command, folder, env } = await laid(operation, language)
    const { status, output, errors } = await ran(command, folder, env)
    expect([operation.id, status, errors]).toEqual([operation.id, 0, errors])
    return { output, folder }
  }

  const those = (wanted: Kind) => operations.filter(({ kind }) => kind === wanted)

  test.each(Object.keys(PROGRAMS))('in %s print the recorded responses', async (language) => {
    // As after an hour: four languages change more alerts than one account may in an hour.
    await scene.database.sql`delete from portal_attempts`
    for (const operation of those('json')) {
      const { id } = operation
      const recorded = recordedOf(id)
      const printed = JSON.parse((await run(operation, language)).output)
      const got = scene.accounts.withoutIds(printed)
      if (OTHERWISE.includes(id)) expect(Object.keys(got)).toEqual(Object.keys(recorded))
      else expect([id, got]).toEqual([id, recorded])
    }
  })

  test.each(Object.keys(PROGRAMS))('in %s print events as they arrive', async (language) => {
    expect(those('stream')).toHaveLength(1)
    for (const operation of those('stream')) {
      const { command, folder, env } = await laid(operation, language)
      const begun = await firstOf(command, { folder, env, end: /^data: .*\r?\n\r?\n/m })
      expect(begun).toContain('event: hello')
    }
  })

  test.each(Object.keys(PROGRAMS))('in %s save files', async (language) => {
    for (const operation of those('file')) {
      const { folder } = await run(operation, language)
      if (operation.id === 'getProof') {
        expect(await Bun.file(join(folder, 'proofs')).text()).toStartWith(
          'c2sp.org/tlog-proof@v1\n',
        )
        continue
      }
      if (operation.id === 'getMonthFile') {
        const [name] = [...new Bun.Glob('*.parquet').scanSync(folder)]
        expect(await Bun.file(join(folder, name!)).text()).toStartWith('PAR1')
        continue
      }
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
    expect(those('recording').map(({ id }) => id)).toEqual(['recordRates', 'recordRatesBulk'])
    for (const operation of those('recording')) {
      const { output } = await run(operation, language)
      const { inserted, ids } = JSON.parse(output)
      expect(ids).toEqual(Array(inserted).fill(expect.any(Number)))
      expect(inserted).toBeGreaterThan(0)
    }
  })

  test.each(Object.keys(PROGRAMS))('in %s withdraw', async (language) => {
    expect(those('withdrawing')).toHaveLength(1)
    for (const operation of those('withdrawing')) {
      const { output } = await run(operation, language)
      const withdrawn = [expect.any(Number), expect.any(Number)]
      expect(JSON.parse(output)).toEqual({ withdrawn, already_withdrawn: [] })
    }
  })
})
