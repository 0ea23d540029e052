import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import { load, publishLoaded } from '~/jobs/loaded.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { HandClock } from '../support/clock.ts'
import { answersOf } from '../support/days.ts'
import { quote } from '../support/quotes.ts'
import { viewOf } from '../support/views.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

const reference = (id: number, atMs: number): Reference => ({
  ...{ id, atMs, currency: 'KES', perUsd: 120 + id, source: 'feed' },
})

/** A database of rows, and the memory that is loaded from it. */
class Scene {
  readonly memory = new Memory()
  readonly clock = new HandClock(NOW_MS)
  quotes: Quote[] = []
  withdrawn: Quote[] = []
  references: Reference[] = []
  /** Called after the references of days were read, before they are returned. */
  onDays: () => void = () => {}

  readonly sources = {
    catalogue: { load: async () => ({ currencies: CURRENCIES, providers: PROVIDERS }) },
    quotes: {
      live: async () => [...this.quotes],
      withdrawnAmong: async (ids: readonly number[]) =>
        this.withdrawn.filter(({ id }) => ids.includes(id)),
    },
    references: {
      live: async () => [...this.references],
      referencesAt: async (probes: Parameters<typeof answersOf>[1]) => {
        const answers = answersOf(this.references, probes)
        this.onDays()
        return answers
      },
    },
  }

  /** Loads everything, and returns whether memory lacked something. */
  async load(): Promise<boolean> {
    const { memory, sources, clock } = this
    const nowMs = clock.now()
    const loaded = await load(sources, memory, { nowMs, corridors: null })
    return publishLoaded({ memory, references: sources.references, timesMs: [nowMs] }, loaded)
  }

  heldAt(cutoffMs: number): number | undefined {
    const [held] = this.memory.current.quotes.book('USD', 'KES')?.quotesAt(cutoffMs, cutoffMs) ?? []
    return held?.rate
  }

  get mids() {
    return viewOf(this)
      .corridor('USD', 'KES')
      .quotes.map(({ midAtQuote }) => midAtQuote?.rate ?? null)
  }
}

describe('a load', () => {
  test('serves everything live, and reports whether memory lacked a quote or a reference', async () => {
    const scene = new Scene()
    expect(await scene.load()).toBe(false)
    scene.quotes = [quote({ rate: 130 })]
    expect([await scene.load(), await scene.load()]).toEqual([true, false])
    scene.references = [reference(1, 1)]
    expect([await scene.load(), await scene.load()]).toEqual([true, false])
    expect(scene.heldAt(NOW_MS)).toBe(130)
    expect(scene.memory.current.catalogue.providers).toHaveLength(PROVIDERS.length)
  })

  test('removes what was withdrawn without a notification, permanently', async () => {
    const scene = new Scene()
    const wrong = quote({ id: 1, rate: 7 })
    scene.quotes = [wrong]
    await scene.load()
    Object.assign(scene, { quotes: [], withdrawn: [wrong] })
    expect(await scene.load()).toBe(true)
    expect(scene.heldAt(NOW_MS)).toBeUndefined()
    scene.memory.publish({ quotes: [wrong] }, NOW_MS)
    expect(scene.heldAt(NOW_MS)).toBeUndefined()
  })

  test('keeps what is served while it reads, although it read earlier', async () => {
    const scene = new Scene()
    scene.quotes = [quote({ id: 1, rate: 130 })]
    const { memory, sources } = scene
    const loaded = await load(sources, memory, { nowMs: NOW_MS, corridors: null })
    memory.publish({ quotes: [quote({ id: 2, rate: 140, atMs: NOW_MS })] }, NOW_MS)
    await publishLoaded({ memory, references: sources.references, timesMs: [NOW_MS] }, loaded)
    expect(scene.heldAt(NOW_MS)).toBe(140)
  })

  test('has the earlier values after the clock was turned back', async () => {
    const scene = new Scene()
    scene.quotes = [
      quote({ id: 1, rate: 100, atMs: NOW_MS - 5 * HOUR_MS }),
      quote({ id: 2, rate: 101, atMs: NOW_MS + 20 * HOUR_MS }),
    ]
    scene.clock.advance(25 * HOUR_MS)
    await scene.load()
    scene.clock.advance(-25 * HOUR_MS)
    const hourMs = hourStartMs(NOW_MS)
    expect(scene.heldAt(hourMs)).toBeUndefined()
    await scene.load()
    expect(scene.heldAt(hourMs)).toBe(100)
  })
})

describe('the references of the days of quotes', () => {
  const earlier = quote({ atMs: NOW_MS - HOUR_MS })
  const yesterday = reference(1, NOW_MS - 24 * HOUR_MS)

  test('are loaded with everything, and again whenever everything is', async () => {
    const scene = new Scene()
    Object.assign(scene, { quotes: [earlier], references: [yesterday, reference(2, NOW_MS)] })
    await scene.load()
    expect(scene.mids).toEqual([121])
    scene.references.push(reference(3, NOW_MS - 2 * HOUR_MS))
    expect(await scene.load()).toBe(true)
    expect(scene.mids).toEqual([123])
    expect(await scene.load()).toBe(false)
  })

  test('are not lost to an older reading if they come while days are looked up', async () => {
    const scene = new Scene()
    Object.assign(scene, { quotes: [earlier], references: [yesterday, reference(2, NOW_MS)] })
    scene.onDays = () =>
      scene.memory.publish({ references: [reference(3, NOW_MS - 2 * HOUR_MS)] }, NOW_MS)
    await scene.load()
    expect(scene.mids).toEqual([123])
  })
})
