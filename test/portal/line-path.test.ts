import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { extentOf, linePath } from '~/portal/line-path.ts'

const BOX = { width: 100, height: 20, min: 0, max: 10 }

/** Points of a path, command by command. */
function pointsOf(path: string): [number, number][] {
  const points: [number, number][] = []
  let [x, y] = [0, 0]
  for (const [, move, first, second] of path.matchAll(/([Mlhv])(-?\d+)(?: (-?\d+))?/g)) {
    if (move === 'M') [x, y] = [Number(first), Number(second)]
    else if (move === 'l') [x, y] = [x + Number(first), y + Number(second)]
    else if (move === 'h') x += Number(first)
    else y += Number(first)
    points.push([x, y])
  }
  return points
}

describe('linePath', () => {
  test('holds every value over its interval, the greatest at the top', () => {
    expect(pointsOf(linePath([0, 10, 5, 5], BOX))).toEqual([
      [0, 20],
      [25, 20],
      [25, 0],
      [50, 0],
      [50, 10],
      [100, 10],
    ])
  })

  test('crosses no interval without a value', () => {
    expect(linePath([null, 10, null, null, 0], BOX)).toBe('M20 0h20M80 20h20')
    expect(linePath([10, null], BOX)).toBe('M0 0h50')
    expect(linePath([null, null], BOX)).toBe('')
    expect(linePath([], BOX)).toBe('')
  })

  test('is in the middle if all values are the same', () => {
    expect(linePath([7, 7], { ...BOX, min: 7, max: 7 })).toBe('M0 10h100')
  })

  test('draws only intervals with values, and never leaves its box', () => {
    const values = fc.array(fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true })), {
      maxLength: 100,
    })
    fc.assert(
      fc.property(values, (list) => {
        const extent = extentOf(list)
        if (!extent) return
        const path = linePath(list, { ...BOX, ...extent })
        const drawn = [...path.matchAll(/h(\d+)/g)].reduce((sum, [, run]) => sum + Number(run), 0)
        const known = list.filter((value) => value !== null).length
        expect(Math.abs(drawn - (known * 100) / list.length)).toBeLessThanOrEqual(known)
        for (const [x, y] of pointsOf(path)) {
          expect(x).toBeWithin(0, 101)
          expect(y).toBeWithin(0, 21)
        }
      }),
    )
  })
})
