import { describe, expect, test } from 'bun:test'
import { ALWAYS_MS } from '~/domain/period.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { quote } from '../support/quotes.ts'

const question = (more: Partial<Asked> = {}) => ({
  key: 'a',
  sources: [{ of: 'USD/KES', fromMs: 100, beforeMs: 200 }],
  ask: async () => 'answer',
  bytesOf: () => 100,
  ...more,
})
type Asked = Parameters<WindowCache['answer']>[0]

const said = (atMs: number, more = {}) => ({ quotes: [quote({ atMs, ...more })] })
const fixed = (currency: string, atMs: number) => ({
  references: [{ id: 1, atMs, currency, perUsd: 1, source: 'feed' }],
})

/** A query that counts its executions. */
function counted(more: Partial<Asked> = {}) {
  let asked = 0
  return question({ ask: async () => ++asked, ...more })
}

describe('answer', () => {
  test('queries once and counts hits and misses', async () => {
    const cache = new WindowCache()
    const asked = counted()
    expect([await cache.answer(asked), await cache.answer(asked)]).toEqual([1, 1])
    expect(cache.figures).toMatchObject({ hits: 1, misses: 1, entries: 1, evictions: 0 })
  })

  test('queries once for concurrent callers', async () => {
    const cache = new WindowCache()
    const asked = counted()
    const answers = await Promise.all([cache.answer(asked), cache.answer(asked)])
    expect(answers).toEqual([1, 1])
  })

  test('does not cache an error', async () => {
    const cache = new WindowCache()
    const failing = question({ ask: () => Promise.reject(new Error('away')) })
    const both = await Promise.allSettled([cache.answer(failing), cache.answer(failing)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await cache.answer(question())).toBe('answer')
  })

  test('drops the entry used longest ago when the bytes are full', async () => {
    const cache = new WindowCache(5000)
    const big = (key: string) => question({ key, bytesOf: () => 1500 })
    for (const key of ['a', 'b', 'a', 'c', 'a', 'd']) await cache.answer(big(key))
    expect(cache.figures).toMatchObject({ entries: 2, evictions: 2, hits: 2, misses: 4 })
    expect(cache.figures.bytes).toBeLessThanOrEqual(5000)
    await cache.answer(big('a'))
    expect(cache.figures.hits).toBe(3)
  })

  test('does not cache a response larger than the whole cache, and leaves the others alone', async () => {
    const cache = new WindowCache(5000)
    await cache.answer(question())
    expect(await cache.answer(question({ key: 'b', bytesOf: () => 6000 }))).toBe('answer')
    expect(cache.figures).toMatchObject({ entries: 1 })
    cache.note(said(150))
    expect(cache.figures).toMatchObject({ entries: 0 })
  })
})

describe('note', () => {
  test.each([
    [99, 1],
    [100, 2],
    [199, 2],
    [200, 1],
  ])('a quote at %i causes %i queries, with the window from 100 to 200', async (atMs, times) => {
    const cache = new WindowCache()
    const asked = counted()
    await cache.answer(asked)
    cache.note(said(atMs))
    expect(await cache.answer(asked)).toBe(times)
  })

  test('leaves other corridors and currencies alone', async () => {
    const cache = new WindowCache()
    const sources = [
      { of: 'USD/KES', fromMs: ALWAYS_MS, beforeMs: 200 },
      { of: 'KES', fromMs: ALWAYS_MS, beforeMs: 200 },
    ]
    const asked = counted({ sources })
    await cache.answer(asked)
    cache.note(said(1, { to: 'NGN' }))
    cache.note(fixed('NGN', 1))
    cache.note(fixed('KES', 200))
    cache.note({})
    expect(await cache.answer(asked)).toBe(1)
    cache.note(fixed('KES', 199))
    expect(await cache.answer(asked)).toBe(2)
  })

  test('drops what was computed from the dollar after a reference of any currency', async () => {
    const cache = new WindowCache()
    const asked = counted({ sources: [{ of: 'USD', fromMs: ALWAYS_MS, beforeMs: 200 }] })
    await cache.answer(asked)
    cache.note(said(199))
    cache.note(fixed('NGN', 200))
    expect(await cache.answer(asked)).toBe(1)
    cache.note(fixed('NGN', 199))
    expect(await cache.answer(asked)).toBe(2)
  })

  test('drops everything after an unknown change', async () => {
    const cache = new WindowCache()
    const asked = counted()
    await cache.answer(asked)
    cache.note({ isPastChanged: true })
    expect(await cache.answer(asked)).toBe(2)
    expect(cache.figures.invalidations).toBe(1)
  })

  test('makes later callers query again during a query, and does not cache the old response', async () => {
    for (const news of [said(150), { isPastChanged: true }]) {
      const cache = new WindowCache()
      const first = Promise.withResolvers<string>()
      const early = cache.answer(question({ ask: () => first.promise }))
      cache.note(news)
      const late = cache.answer(question({ ask: async () => 'new' }))
      first.resolve('old')
      expect([await early, await late]).toEqual(['old', 'new'])
      expect(await cache.answer(question({ ask: async () => 'newer' }))).toBe('new')
    }
  })

  test('drops a response in progress even if no client requests it again', async () => {
    const cache = new WindowCache()
    const first = Promise.withResolvers<string>()
    const early = cache.answer(question({ ask: () => first.promise }))
    cache.note(said(150))
    first.resolve('old')
    await early
    expect(cache.figures.entries).toBe(0)
  })
})
