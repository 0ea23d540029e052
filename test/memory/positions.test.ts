import { describe, expect, test } from 'bun:test'
import { Positions } from '~/memory/positions.ts'

describe('Positions', () => {
  test('resumes the requests that wait for a position once it is reached', async () => {
    const positions = new Positions()
    const waiting = [7, 9, 12].map((position) => positions.reached(position))
    positions.reach(9)
    expect(await Promise.all(waiting.slice(0, 2))).toEqual([true, true])
    positions.reach(12)
    expect(await waiting[2]!).toBe(true)
  })

  test('loads what is missing only if a request has to wait', async () => {
    const positions = new Positions()
    let asked = 0
    positions.onAwaited = () => {
      asked++
      positions.reach(5)
    }
    expect(await positions.awaited(0)).toBe(true)
    expect(asked).toBe(0)
    expect(await positions.awaited(5)).toBe(true)
    expect(asked).toBe(1)
  })

  test('ends a wait for a position that never comes', async () => {
    expect(await new Positions().reached(1)).toBe(false)
  })

  test('lets 10,000 requests wait, and refuses the next at once', async () => {
    const positions = new Positions()
    const waiting = Array.from({ length: 10_000 }, () => positions.reached(3))
    let isRefused = false
    const next = positions.reached(3).then((isReached) => {
      isRefused = !isReached
    })
    await next
    expect(isRefused).toBe(true)
    positions.reach(3)
    expect((await Promise.all(waiting)).every((isReached) => isReached)).toBe(true)
    const later = positions.reached(4)
    positions.reach(4)
    expect(await later).toBe(true)
  })
})
