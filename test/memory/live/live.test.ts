import { beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { ANYWHERE, type Live, LiveMemory, type LoggedChange } from '~/memory/live/live.ts'
import type { Step, StepSubscriber } from '~/memory/live/step.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { noReferences } from '../../support/days.ts'
import { quote } from '../../support/quotes.ts'
import { BASE_MS } from '../histories.ts'

const HOUR = hourStartMs(BASE_MS)
const DAYS = { referencesAt: noReferences }

let served: Memory
let live: LiveMemory

/** A listener that retains the steps and the positions of gaps. */
class Kept implements StepSubscriber {
  readonly steps: Step[] = []
  readonly gaps: number[] = []

  onStep(step: Step): void {
    this.steps.push(step)
  }

  onGap(position: number): void {
    this.gaps.push(position)
  }
}

const kept = (of: Live): Kept => {
  const subscriber = new Kept()
  of.subscribe(subscriber)
  return subscriber
}

const begin = (position: number, hourMs: number | null = null) => {
  live.begin({ position, atMs: BASE_MS, hourMs })
  live.settle()
}

const apply = (change: Partial<LoggedChange> & Pick<LoggedChange, 'position' | 'kind'>) =>
  live.apply({ atMs: BASE_MS, ...change }, DAYS)

beforeEach(() => {
  served = new Memory()
  served.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, BASE_MS)
  live = new LiveMemory(served)
})

describe('LiveMemory', () => {
  test('reports a gap to the first that watches, if changes have no steps', () => {
    const { gaps } = kept(live)
    live.begin({ position: 7, atMs: BASE_MS, hourMs: null })
    expect(gaps).toEqual([])
    live.watch(ANYWHERE)
    expect(gaps).toEqual([7])
  })

  test('reports each step with the state before and after it', async () => {
    begin(10)
    const subscriber = kept(live)
    const first = quote()
    await apply({ position: 11, kind: 'observations', quotes: [first] })
    const [step] = subscriber.steps
    expect(step).toMatchObject({ position: 11, quotes: [first], references: [], hour: null })
    expect(step!.before.quotes.book('USD', 'KES')).toBeUndefined()
    expect(step!.after.quotes.book('USD', 'KES')!.size).toBe(1)
    expect(live.current).toBe(step!.after)
    expect(live.position).toBe(11)
  })

  test('serves the rows of a step by the time that its position is reached', async () => {
    begin(10)
    const seen = served.positions
      .reached(11)
      .then(() => live.current.quotes.book('USD', 'KES')?.size)
    await apply({ position: 11, kind: 'observations', quotes: [quote()] })
    expect(await seen).toBe(1)
    expect(served.current).toBe(live.current)
  })

  test('reports unreported steps as one gap, before the next step', async () => {
    begin(10)
    const subscriber = kept(live)
    for (const position of [11, 12])
      await live.apply({ position, kind: 'observations', atMs: BASE_MS, quotes: [] }, DAYS, false)
    expect(subscriber).toEqual({ steps: [], gaps: [] } as never)
    await apply({ position: 13, kind: 'tick' })
    expect([subscriber.gaps, subscriber.steps.map(({ position }) => position)]).toEqual([
      [12],
      [13],
    ])
    live.settle()
    expect(subscriber.gaps).toEqual([12])
  })

  test('moves time by ticks alone, and never back', async () => {
    begin(1)
    const subscriber = kept(live)
    const later = BASE_MS + 5000
    await apply({ position: 2, kind: 'observations', atMs: later, quotes: [quote()] })
    await apply({ position: 3, kind: 'tick', atMs: later })
    await apply({ position: 4, kind: 'tick', atMs: BASE_MS })
    expect(subscriber.steps.map(({ beforeMs, atMs }) => [beforeMs, atMs])).toEqual([
      [BASE_MS, BASE_MS],
      [BASE_MS, later],
      [later, later],
    ])
    expect(subscriber.steps[0]!.committedMs).toBe(later)
  })

  test('reports which hour opens and which one ends', async () => {
    begin(1)
    const subscriber = kept(live)
    await apply({ position: 2, kind: 'hour', atMs: HOUR })
    await apply({ position: 3, kind: 'hour', atMs: HOUR + HOUR_MS })
    expect(subscriber.steps.map(({ hour }) => hour)).toEqual([
      { ms: HOUR, previousMs: null },
      { ms: HOUR + HOUR_MS, previousMs: HOUR },
    ])
    expect(subscriber.steps[1]!.atMs).toBe(BASE_MS)
  })

  test('keeps the prices of the previous hour until the next one is opened', async () => {
    begin(1, HOUR - HOUR_MS)
    const old = quote({ id: 1, atMs: HOUR - HOUR_MS - 1, rate: 1 })
    const newer = quote({ id: 2, atMs: HOUR - 1, rate: 2 })
    const newest = quote({ id: 3, atMs: HOUR + 1000, rate: 3 })
    await apply({ position: 2, kind: 'observations', quotes: [old, newer, newest] })
    const subscriber = kept(live)
    await apply({ position: 3, kind: 'hour', atMs: HOUR })
    const { before, after, hour } = subscriber.steps[0]!
    const rateAt = (of: Step['before'], ms: number) =>
      of.quotes.book('USD', 'KES')!.quotesAt(ms, ms)[0]!.rate
    expect(rateAt(before, hour!.previousMs!)).toBe(1)
    expect(rateAt(after, hour!.ms)).toBe(2)
  })

  test('keeps the prices of the top of an hour that is not opened yet', async () => {
    begin(1, HOUR)
    const laterMs = HOUR + 25 * HOUR_MS
    const held = quote({ id: 1, atMs: HOUR + 2 * HOUR_MS, rate: 1 })
    await apply({ position: 2, kind: 'observations', quotes: [held] })
    const newest = quote({ id: 2, atMs: laterMs + 1, rate: 2 })
    await apply({ position: 3, kind: 'observations', atMs: laterMs + 1, quotes: [newest] })
    const { quotes } = live.current
    const rateAt = (ms: number) => quotes.book('USD', 'KES')!.quotesAt(ms, ms)[0]?.rate
    expect([HOUR, laterMs, laterMs + 1].map(rateAt)).toEqual([undefined, 1, 2])
  })

  test('goes past a row without a step, and without a gap', async () => {
    begin(10)
    const subscriber = kept(live)
    live.pass(12)
    expect(live.position).toBe(12)
    await apply({ position: 13, kind: 'tick' })
    expect([subscriber.steps.length, subscriber.gaps]).toEqual([1, []])
  })

  test('reports a gap if it starts over, and no step', async () => {
    begin(1)
    const subscriber = kept(live)
    served.publish({ quotes: [quote()] }, BASE_MS)
    begin(7)
    expect(subscriber).toEqual({ steps: [], gaps: [7] } as never)
    expect(live.position).toBe(7)
    expect(live.current.quotes.book('USD', 'KES')!.size).toBe(1)
  })

  test('reports nothing after the listener has ended', async () => {
    begin(1)
    const subscriber = new Kept()
    live.subscribe(subscriber)()
    await apply({ position: 2, kind: 'tick' })
    begin(3)
    expect(subscriber).toEqual({ steps: [], gaps: [] } as never)
  })

  test('serves quotes without mids when their days cannot be loaded, and reports a gap', async () => {
    served.publish(
      { references: [{ id: 1, atMs: BASE_MS, currency: 'KES', perUsd: 129, source: 'ecb' }] },
      BASE_MS,
    )
    begin(1)
    const subscriber = kept(live)
    const away = { referencesAt: () => Promise.reject(new Error('away')) }
    const quotes = [quote({ atMs: BASE_MS - HOUR_MS })]
    const change = { position: 2, kind: 'observations', atMs: BASE_MS, quotes } as const
    expect(await live.apply(change, away)).toBe(false)
    live.settle()
    expect(subscriber).toEqual({ steps: [], gaps: [2] } as never)
    expect(live.current.quotes.book('USD', 'KES')!.size).toBe(1)
  })

  test('counts the watchers of a corridor, each until its own end', () => {
    const corridor = { from: 'USD', to: 'KES' }
    const first = live.watch(corridor)
    const second = live.watch(corridor)
    live.watch(ANYWHERE)
    first()
    first()
    expect([...live.watched.keys()]).toEqual(['USD/KES', ANYWHERE])
    second()
    expect([...live.watched.keys()]).toEqual([ANYWHERE])
  })
})
