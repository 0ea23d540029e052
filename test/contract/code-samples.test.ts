import { describe, expect, test } from 'bun:test'
import { codeSamples } from '~/wire/openapi/code-samples.ts'
import { MemoryStore } from '../http/memory-store.ts'
import { answerable } from '../http/questions.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { documentOf } from '../support/contract.ts'

type Sample = { lang: string; label: string; source: string }

/** The ids of observations in samples, which are replaced by two existing ones. */
const OBSERVATION_IDS = ['48211', '48212']
const ROW = { provider_id: 'retail-a', rate: 129.5, from: 'USD', to: 'KES' }

/** The id of an alert in samples, which is replaced by an existing one. */
const ALERT_ID = '6c84fb90-12c4-11e1-840d-7b25c5ee775a'
const ALERT = {
  corridor: 'USD/KES',
  when: { field: 'best', op: 'above', value: 140 },
  to: { webhook: 'https://example.com/corridor' },
}

const world = answerable({ store: new MemoryStore() })
const quoting = { currencies: CURRENCIES, providers: [...PROVIDERS, provider('western-union')] }
world.memory.publish({ catalogue: quoting }, world.clock.now())
const filled = (path: string) =>
  path.replace('{date}', '2026-03-04').replace('{month}', '2025-08').replace('{id}', ALERT_ID)
const { paths, servers } = await documentOf(world.app)
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    url: `${servers[0]!.url}${filled(path)}`,
    isJson: !/csv|parquet/.test(path) && !['/stream', '/proofs'].includes(path),
    hasKey: (operation.security as unknown[] | undefined)?.length !== 0,
    samples: operation['x-codeSamples'] as Sample[],
  })),
)

/** Returns what a sample in JavaScript prints, with the service in this process. */
async function printed(source: string): Promise<unknown> {
  const [lines, key] = [[] as string[], world.key('enterprise', 'treasury')]
  const { body: alert } = await world.send('POST', '/alerts', { key, body: ALERT })
  const { body: recorded } = await world.post([ROW, ROW], key)
  const present = OBSERVATION_IDS.reduce(
    (text, id, index) => text.replaceAll(id, recorded.ids[index]),
    source.replaceAll(ALERT_ID, alert.id),
  )
  const run = new Function(
    ...['fetch', 'process', 'console'],
    `return (async () => { ${present} })()`,
  )
  const ask = (url: string, init?: RequestInit) => world.app.handle(new Request(url, init))
  const output = { log: (line: string) => void lines.push(line) }
  await run(ask, { env: { CORRIDOR_KEY: key } }, output)
  return JSON.parse(lines.join('\n'))
}

describe('the samples of an operation', () => {
  test('are in four languages, each with its absolute address and no key', () => {
    for (const { name, url, hasKey, samples } of operations) {
      const languages = samples.map(({ lang }) => lang)
      expect([name, languages]).toEqual([name, ['Shell', 'JavaScript', 'Python', 'PHP']])
      for (const { source } of samples) {
        expect(source).toContain(`'${url}`)
        expect([name, source.includes('CORRIDOR_KEY')]).toEqual([name, hasKey])
        expect(source).not.toContain('crd_')
      }
    }
  })

  test('in JavaScript get a response of the operation', async () => {
    for (const { name, samples } of operations.filter(({ isJson }) => isJson)) {
      const { source } = samples.find(({ lang }) => lang === 'JavaScript')!
      const answer = (await printed(source)) as object
      expect([name, Object.keys(answer)]).toEqual([
        name,
        expect.arrayContaining([expect.any(String)]),
      ])
      expect(answer).not.toHaveProperty('code')
    }
  })

  test('hold quotes and backslashes as each language writes them', () => {
    const url = "https://rates.example/it's"
    const samples = codeSamples({ method: 'POST', url, hasKey: true, body: { note: "it's \\ so" } })
    const [shell, ...others] = samples.map(({ source }) => source)
    expect(shell).toContain(String.raw`'https://rates.example/it'\''s'`)
    expect(shell).toContain(String.raw`-d '{"note":"it'\''s \\ so"}'`)
    for (const source of others) expect(source).toContain(String.raw`'https://rates.example/it\'s'`)
    const [, inPython, inPhp] = others
    for (const source of [inPython, inPhp])
      expect(source).toContain(String.raw`'{"note":"it\'s \\\\ so"}'`)
  })
})
