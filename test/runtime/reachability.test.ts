import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { reachability } from '~/runtime/reachability.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

describe('reachability', () => {
  test('checks once for many callers, and again after the response', async () => {
    let asked = 0
    const isReachable = reachability(async () => asked++)
    const crowd = await Promise.all(Array.from({ length: 1000 }, () => isReachable()))
    expect([crowd.every(Boolean), asked]).toEqual([true, 1])
    expect([await isReachable(), asked]).toEqual([true, 2])
  })

  test('does not check a database again before it has responded', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let asked = 0
    const isReachable = reachability(() => {
      asked++
      return promise
    })
    for (let i = 0; i < 3; i++) {
      const answer = isReachable()
      jest.advanceTimersByTime(1000)
      expect(await answer).toBe(false)
    }
    expect(asked).toBe(1)
    resolve()
    await promise
    expect([await isReachable(), asked]).toEqual([true, 2])
  })

  test('counts a refusal as unreachable', async () => {
    const isReachable = reachability(() => Promise.reject(new Error('away')))
    expect([await isReachable(), await isReachable()]).toEqual([false, false])
  })
})
