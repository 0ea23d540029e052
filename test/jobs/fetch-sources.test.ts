import { expect, test } from 'bun:test'
import type { QuoteSource, SourceAnswer } from '~/domain/source/source.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
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

/** A store in memory whose observations of one bank cannot be recorded; tells when that was tried. */
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

test('a failure of the store is told once nobody is being asked any more', async () => {
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

test('a pattern of ones own asks all banks at its times, whenever they publish', async () => {
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
})
