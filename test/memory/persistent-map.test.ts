import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PersistentMap } from '~/memory/persistent-map.ts'

const keys = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'USD/KES', 'KES/USD', '__proto__', 'constructor', 'ä', '💱'),
  fc.string({ maxLength: 3 }),
)
const writes = fc.array(fc.array(fc.tuple(keys, fc.integer()), { maxLength: 10 }), {
  maxLength: 12,
})

/** Every key in a sequence of writes, and its value in the map. */
const contents = (map: PersistentMap<number>, all: Iterable<string>) =>
  [...all].map((key) => [key, map.get(key)])

describe('PersistentMap', () => {
  test('has no value and no size when empty', () => {
    const map = PersistentMap.empty<number>()
    expect(map.size).toBe(0)
    expect(map.get('a')).toBeUndefined()
    expect([...map.values()]).toEqual([])
  })

  test('finds a value that was set, and of two with one key the later', () => {
    const map = PersistentMap.empty<number>().with([
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ])
    expect(map.get('a')).toBe(3)
    expect(map.get('b')).toBe(2)
    expect(map.size).toBe(2)
    expect([...map.values()].sort()).toEqual([2, 3])
  })

  test('keeps the old version unchanged', () => {
    const before = PersistentMap.empty<number>().with([['a', 1]])
    const after = before.with([
      ['a', 2],
      ['b', 3],
    ])
    expect(contents(before, ['a', 'b'])).toEqual([
      ['a', 1],
      ['b', undefined],
    ])
    expect(before.size).toBe(1)
    expect(after.size).toBe(2)
    expect(PersistentMap.empty<number>().size).toBe(0)
  })

  test('counts an undefined value as present, like a Map', () => {
    const map = PersistentMap.empty<undefined>().with([
      ['a', undefined],
      ['a', undefined],
    ])
    expect(map.size).toBe(1)
  })

  test('agrees with a Map after any writes, and so does every earlier version', () => {
    fc.assert(
      fc.property(writes, (batches) => {
        const all = new Set(batches.flat().map(([key]) => key))
        const versions: { map: PersistentMap<number>; oracle: Map<string, number> }[] = []
        let map = PersistentMap.empty<number>()
        let oracle = new Map<string, number>()
        for (const batch of batches) {
          map = map.with(batch)
          oracle = new Map([...oracle, ...batch])
          versions.push({ map, oracle })
        }
        for (const version of versions) {
          expect(version.map.size).toBe(version.oracle.size)
          expect(contents(version.map, all)).toEqual(
            [...all].map((key) => [key, version.oracle.get(key)]),
          )
          const values = [...version.map.values()].sort((a, b) => a - b)
          expect(values).toEqual([...version.oracle.values()].sort((a, b) => a - b))
        }
      }),
    )
  })

  test('finds each of ten thousand keys', () => {
    const entries = Array.from({ length: 10_000 }, (_, i) => [`key-${i}`, i] as const)
    const map = PersistentMap.empty<number>().with(entries)
    expect(map.size).toBe(10_000)
    for (const [key, value] of entries) expect(map.get(key)).toBe(value)
  })
})
