import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { extentOf, linePath } from '~/portal/line-path.ts'

const BOX = { width: 100, height: 20, min: 0, max: 10 }

/** Where a path goes, move by move. */
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
  test('goes through every value, the greatest at the top', () => {
    expect(pointsOf(linePath([0, 10, 5], BOX))).toEqual([
      [0, 20],
      [50, 0],
      [100, 10],
    ])
  })

  test('leaves out what is not known', () => {
    expect(pointsOf(linePath([null, 10, null, null, 0], BOX))).toEqual([
      [25, 0],
      [100, 20],
    ])
    expect(linePath([null, null], BOX)).toBe('')
    expect(linePath([], BOX)).toBe('')
  })

  test('holds a value until the next, and the last one to the end', () => {
    expect(pointsOf(linePath([0, null, 10, null, null], BOX, true))).toEqual([
      [0, 20],
      [50, 20],
      [50, 0],
      [100, 0],
    ])
  })

  test('lies in the middle where all values are the same', () => {
    const flat = { ...BOX, min: 7, max: 7 }
    expect(pointsOf(linePath([7, 7], flat))).toEqual([
      [0, 10],
      [100, 10],
    ])
  })

  test('never leaves its box', () => {
    const values = fc.array(fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true })))
    fc.assert(
      fc.property(values, fc.boolean(), (list, isStepped) => {
        const extent = extentOf(list)
        if (!extent) return
        const points = pointsOf(linePath(list, { ...BOX, ...extent }, isStepped))
        expect(points.length).toBeGreaterThan(0)
        for (const [x, y] of points) {
          expect(x).toBeWithin(0, 102)
          expect(y).toBeWithin(0, 21)
        }
      }),
    )
  })
})
