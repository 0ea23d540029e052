import { expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import { corridorChange } from '~/service/change.ts'
import { knownAnswer } from '~/service/known/known.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { quote } from '../../support/quotes.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 12)

test('knownAnswer loads the past of a request about the present once', async () => {
  const asked: string[] = []
  const answered = <T>(what: string, value: T) => {
    asked.push(what)
    return Promise.resolve(value)
  }
  const reference = (atMs: number): Reference => ({
    ...{ id: 1, atMs, currency: 'KES', perUsd: 130, source: 'feed' },
    ...{ basis: 'single', dispersionBps: null },
  })
  const past = {
    standing: () => answered('standing', [{ ...quote(), atMs: NOW_MS - DAY_MS, recordedMs: 0 }]),
    referencesAt: (probes: readonly { currency: string; atMs: number }[]) =>
      answered(
        `references of ${probes.map(({ atMs }) => (NOW_MS - atMs) / DAY_MS)}`,
        probes.map((probe) => ({ ...probe, reference: reference(probe.atMs) })),
      ),
  }
  const tables = {
    past,
    isBeforeAll: false,
    catalogue: async () => ({ currencies: [...CURRENCIES], providers: [...PROVIDERS] }),
    references: async () => [reference(NOW_MS)],
    referencesAt: async () => [],
    quotes: () => answered('quotes', [{ ...quote(), id: 2, rate: 140, atMs: NOW_MS }]),
    holdsSample: async () => false,
  }
  const store = { at: <T>(_: number, work: (own: typeof tables) => Promise<T>) => work(tables) }
  const freshness = freshnessAt('realtime', NOW_MS + DAY_MS, false)
  const limits = { midMaxAgeMs: 9 * DAY_MS, quoteMaxAgeMs: null, staleAfterMs: null }
  const { answer } = await knownAnswer(
    store as never,
    { knownMs: NOW_MS, freshness, limits, isLive: true },
    (view, own) => corridorChange(own as never, view, { from: 'USD', to: 'KES', period: '1d' }),
  )
  expect([answer.start.best, answer.end.best]).toEqual([quote().rate, 140])
  expect(answer.mid).toEqual({ abs: 0, pct: 0 })
  expect(asked.toSorted()).toEqual(['quotes', 'references of 1', 'standing'])
})

test('knownAnswer takes now for a time of the past, and refuses a later one', async () => {
  const answered = { answer: 1, knownMs: NOW_MS, isBeforeAll: false }
  const store = { at: async () => answered }
  const freshness = freshnessAt('realtime', NOW_MS, false)
  const limits = { midMaxAgeMs: DAY_MS, quoteMaxAgeMs: null, staleAfterMs: null }
  const at = async (knownMs: number) =>
    knownAnswer(store as never, { knownMs, freshness, limits, isLive: true }, () => 1)
  expect(await at(NOW_MS)).toBe(answered)
  expect(at(NOW_MS + 1)).rejects.toThrow('it is in the future')
})
