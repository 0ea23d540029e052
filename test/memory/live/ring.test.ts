import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Ring } from '~/memory/live/ring.ts'

const LIMITS = { steps: 5, events: 20, bytes: 100 }
const entries = fc.array(
  fc.record({
    gap: fc.integer({ min: 1, max: 9 }),
    events: fc.integer({ min: 0, max: 12 }),
    bytes: fc.integer({ min: 0, max: 60 }),
  }),
  { maxLength: 40 },
)

describe('Ring', () => {
  test('retains the newest steps that fit, and the position after which none is missing', () => {
    fc.assert(
      fc.property(entries, fc.nat(200), (added, since) => {
        const ring = new Ring<{ position: number; events: number; bytes: number }>(LIMITS, 3)
        const all: { position: number; events: number; bytes: number }[] = []
        let position = 3
        for (const { gap, ...entry } of added) {
          position += gap
          all.push({ position, ...entry })
          ring.append(all.at(-1)!)
        }
        let kept: typeof all = []
        for (const entry of all.toReversed()) {
          const more = [entry, ...kept]
          const sum = (of: (one: typeof entry) => number) => more.reduce((n, one) => n + of(one), 0)
          const isFitting =
            more.length <= LIMITS.steps &&
            sum(({ events }) => events) <= LIMITS.events &&
            sum(({ bytes }) => bytes) <= LIMITS.bytes
          if (!isFitting && kept.length > 0) break
          kept = more
        }
        const begin = all.at(-kept.length - 1)?.position ?? 3
        expect(ring.begin).toBe(kept.length === all.length ? 3 : begin)
        expect([...ring.since(0)]).toEqual(kept)
        expect([...ring.since(since)]).toEqual(kept.filter((one) => one.position >= since))
        expect(ring.steps).toBe(kept.length)
        for (const one of all) expect(ring.has(one.position)).toBe(one.position >= ring.begin)
        expect(ring.has(position + 1)).toBe(false)
      }),
    )
  })

  test('retains no more than the greatest number of steps, however small they are', () => {
    const ring = new Ring<{ position: number; events: number; bytes: number }>(LIMITS, 0)
    for (let position = 1; position <= 7; position++) ring.append({ position, events: 0, bytes: 0 })
    expect([ring.steps, ring.begin]).toEqual([5, 2])
  })

  test('drops more when its retained steps have grown', () => {
    const ring = new Ring<{ position: number; events: number; bytes: number }>(LIMITS, 0)
    const first = { position: 1, events: 1, bytes: 10 }
    ring.append(first)
    first.bytes += 90
    ring.grew(90)
    ring.append({ position: 2, events: 1, bytes: 1 })
    expect(ring.begin).toBe(1)
    expect([ring.steps, ring.events, ring.bytes]).toEqual([1, 1, 1])
  })

  test('starts over after a given position', () => {
    const ring = new Ring<{ position: number; events: number; bytes: number }>(LIMITS, 0)
    ring.append({ position: 1, events: 1, bytes: 10 })
    ring.clear(9)
    expect([ring.begin, ring.steps, ring.events, ring.bytes]).toEqual([9, 0, 0, 0])
    expect([ring.has(9), ring.has(1)]).toEqual([true, false])
  })
})
