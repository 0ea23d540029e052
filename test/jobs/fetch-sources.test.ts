import { expect, test } from 'bun:test'
import { FeedError } from '~/domain/feed/feed.ts'
import type { QuoteSource, SourceAnswer } from '~/domain/source/source.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { missedDays } from '~/domain/source/turn.ts'
import { dateIn } from '~/domain/source/zone.ts'
import type { SourceStore } from '~/jobs/fetch-source.ts'
import { fetchDueSources } from '~/jobs/fetch-sources.ts'
import { currencyEntry } from '~/sample/currency-entry.ts'
import { clockAt } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'

const clock = clockAt('2026-03-19T12:00:00Z')
const AT_MS = Date.parse('2026-03-18T21:00:00Z')

const source = (id: string, ask: QuoteSource['ask']): QuoteSource => ({
  ...{ id, currency: 'KES', timeZone: 'Africa/Nairobi', reach: 'all', ask },
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
  provider: { id: `bank-${id}`, name: id, region: 'Kenya', websiteUrl: 'https://bank.example' },
})

const answer: SourceAnswer = {
  days: [
    {
      atMs: AT_MS,
      rates: [{ currency: 'USD', unit: 1, buying: null, central: '129.5', selling: null }],
    },
  ],
  isUnchanged: false,
  validators: null,
}

/** A store in memory that fails to record one bank's observations, and then calls `onFailure`. */
function failingFor(providerId: string, onFailure: () => void = () => {}) {
  const states: SourceRecord[] = []
  let isHeld = false
  const store: SourceStore = {
    async once(work) {
      isHeld = true
      return work().finally(() => {
        isHeld = false
      })
    },
    loadStates: async () => states,
    saveState: async (state) => void states.push(state),
    catalogue: async () => ({ currencies: [], providers: [] }),
    addEntries: async () => {},
    knownPrices: async () => [],
    referencesAt: async () => [],
    async record([first]) {
      if (first?.providerId !== providerId) return
      setImmediate(onFailure)
      throw new Error('the database is away')
    },
  }
  return { store, states, isHeld: () => isHeld }
}

test('a failure of the store is reported after the last request to a bank', async () => {
  const slow = Promise.withResolvers<SourceAnswer>()
  const { store, states, isHeld } = failingFor('bank-a', () => slow.resolve(answer))
  const heldThen: boolean[] = []
  const sources = [
    source('a', async () => answer),
    source('b', async () => {
      const answered = await slow.promise
      heldThen.push(isHeld())
      return answered
    }),
  ]
  const deps = { sources, store, clock, log: new KeptLog(), midMaxAgeMs: 1, entryOf: currencyEntry }
  await expect(fetchDueSources(deps, null)).rejects.toThrow('the database is away')
  expect([heldThen, states.map(({ id }) => id)]).toEqual([[true], ['b']])
})

test('a run after a pause of three weeks requests every day since the newest, and a gap again', async () => {
  const { store, states } = failingFor('none')
  const clock = clockAt('2026-03-05T12:00:00Z')
  const asked: string[] = []
  const without = new Set(['2026-03-24'])
  const bank: QuoteSource = {
    ...source('a', async ({ span }) => {
      const date = dateIn(span.sinceMs, 'Africa/Nairobi')
      asked.push(date)
      if (without.has(date)) throw new FeedError('http_error', 'has no such page', { status: 404 })
      return { ...answer, days: [{ ...answer.days[0]!, atMs: span.sinceMs }] }
    }),
    reach: 1,
  }
  const deps = { sources: [bank], store, clock, log: new KeptLog() }
  const more = { midMaxAgeMs: 1, entryOf: currencyEntry }
  const run = async (iso: string) => {
    clock.set(iso)
    asked.length = 0
    await fetchDueSources({ ...deps, ...more }, '0 * * * *')
    return states.splice(0, states.length, states.at(-1)!) && states[0]!
  }
  await run('2026-03-05T12:00:00Z')
  const first = await run('2026-03-26T12:00:00Z')
  expect(asked).toHaveLength(16)
  expect([asked[0], asked.at(-1)]).toEqual(['2026-03-05', '2026-03-26'])
  expect([first.gaps, missedDays(first, clock.now())]).toEqual([['2026-03-24'], 1])
  without.clear()
  const second = await run('2026-03-26T13:00:00Z')
  expect(asked).toEqual(['2026-03-24', '2026-03-25', '2026-03-26'])
  expect([second.gaps, missedDays(second, clock.now())]).toEqual([[], 0])
})

test('a configured pattern fetches all banks at its times, whenever they publish', async () => {
  const { store, states } = failingFor('none')
  const asked: string[] = []
  const sources = ['a', 'b'].map((id) =>
    source(id, async () => {
      asked.push(id)
      return answer
    }),
  )
  const deps = { sources, store, clock, log: new KeptLog(), midMaxAgeMs: 1, entryOf: currencyEntry }
  await fetchDueSources(deps, '0 */6 * * *')
  await fetchDueSources(deps, '0 */6 * * *')
  expect(asked).toEqual(['a', 'b'])
  states.splice(0, states.length, ...states.slice(-2))
  clock.set('2026-03-19T18:00:00Z')
  await fetchDueSources(deps, '0 */6 * * *')
  expect(asked).toEqual(['a', 'b', 'a', 'b'])
  states.splice(0, states.length, ...states.slice(-2))
  clock.set('2026-03-18T18:00:00Z')
  await fetchDueSources(deps, '0 */6 * * *')
  expect(asked).toHaveLength(6)
})
