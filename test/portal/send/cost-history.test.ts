import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { PastWorld } from '../../support/past-world.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { ORIGIN } from '../../support/world.ts'
import { textOf } from '../portal-world.ts'

const NOW = '2026-03-05T14:25:30.500Z'
const DAYS = 91
const TITLE = 'What the best exchange rate cost over three months'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: NOW, staleAfterMs: 7 * DAY_MS }).start()
  for (let i = DAYS; i >= 0; i--) await fix(Date.parse('2026-03-05T09:00:00Z') - i * DAY_MS)
  await say('KES', 128.7, '2025-12-10T10:00:00Z')
  await say('KES', 126.1, '2026-02-01T10:00:00Z')
  await say('KES', 127.4, '2026-03-04T10:00:00Z')
  await say('NGN', 1450, '2026-03-05T10:00:00Z')
}, TEST_MS_MAX)
afterAll(() => database.close())

async function fix(fetchedMs: number) {
  const rates = Object.entries({ KES: '130', NGN: '1500' }).map(([currency, perUsd]) => ({
    ...{ currency, perUsd },
  }))
  const references = await createReferenceStore(database).append({
    ...{ source: 'feed', fetchedMs, rates },
  })
  world.memory.publish({ references }, world.clock.now())
}

const say = (to: 'KES' | 'NGN', rate: number, effective_from: string) =>
  world.post([
    {
      ...{ provider_id: 'retail-a', from: 'USD', to, rate, fee: 0, effective_from },
      ...{ source_country: 'US', target_country: to.slice(0, 2) },
    },
  ])

const pageOf = async (path: string) => (await world.app.handle(new Request(ORIGIN + path))).text()

/** The line of the page as drawn, and its description. */
async function lineOf(path: string) {
  const text = await pageOf(path)
  const [, section] = /<section class="[^"]*cost-history"(.*?)<\/section>/s.exec(text) ?? []
  const [, drawn] = /class="spark-best" d="([^"]*)"/.exec(section ?? '') ?? []
  return { section, drawn, said: textOf(section ?? '') }
}

describe("the line of the best exchange rate's cost over three months", () => {
  test('is drawn over days with prices and broken over days without', async () => {
    const { drawn, said } = await lineOf('/send/united-states-to-kenya')
    const stretches = drawn!.split('M').slice(1)
    expect(stretches).toHaveLength(3)
    const heights = stretches.map((one) => Number(/^\d+ (\d+)h/.exec(one)![1]))
    expect(heights).toEqual([80, 0, 40])
    const lengths = stretches.map((one) => Number(/h(\d+)/.exec(one)![1]))
    const days = lengths.map((length) => Math.round((length * DAYS) / 1000))
    expect(days).toEqual([7, 7, 2])
    expect(said).toContain('Between 1.00% and 3.00% of the amount')
    expect(said).toContain(`It is known for 16 of ${DAYS} days.`)
  })

  test.each(LANGUAGES)('has the same in words in %s', async (language) => {
    const words = Words.in(language)
    const { section } = await lineOf(`${prefixOf(language)}/send/united-states-to-kenya`)
    const label = words.say('send.moved', {
      ...{ low: words.percentText(1), high: words.percentText(3), known: 16, all: DAYS },
    })
    expect(section).toContain(`role="img" aria-label="${label}"`)
    expect(section).toContain(words.say('send.moved-title'))
  })

  test('is left out if only one day is known, and if there is no price', async () => {
    for (const pair of ['united-states-to-nigeria', 'united-states-to-ghana']) {
      const text = await pageOf(`/send/${pair}`)
      expect([pair, text.includes('<h1>'), text.includes(TITLE)]).toEqual([pair, true, false])
    }
  })
})
