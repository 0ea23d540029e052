import { describe, expect, test } from 'bun:test'
import type { ServiceError } from '~/domain/errors.ts'
import { GroupLimit } from '~/service/recording/group-limit.ts'
import { TURN_MS_MAX } from '~/service/work-limit.ts'

type Outcomes = readonly PromiseSettledResult<string>[]

/** Groups that end when the test says so; an item is as large as its text is long. */
function groups(bounds: { runningMax?: number; waitingMax?: number; sizeMax?: number } = {}) {
  const { runningMax = 1, waitingMax = 10, sizeMax = 3 } = bounds
  const begun: (readonly string[])[] = []
  const ends: PromiseWithResolvers<Outcomes>[] = []
  const sizeOf = (item: string) => item.length
  const limit = new GroupLimit<string, string>(
    { runningMax, waitingMax, sizeMax, sizeOf },
    (items) => {
      begun.push(items)
      const end = Promise.withResolvers<Outcomes>()
      ends.push(end)
      return end.promise
    },
  )
  const end = async (nth: number) => {
    ends[nth]!.resolve(begun[nth]!.map((item) => ({ status: 'fulfilled', value: `did ${item}` })))
    await Bun.sleep(0)
  }
  return { limit, begun, ends, end }
}

describe('GroupLimit.run', () => {
  test('begins at once and alone while there is room, and never waits for company', async () => {
    const { limit, begun, end } = groups({ runningMax: 2 })
    const results = [limit.run('a'), limit.run('b')]
    expect(begun).toEqual([['a'], ['b']])
    await end(0)
    results.push(limit.run('c'))
    expect(begun).toEqual([['a'], ['b'], ['c']])
    await end(1)
    await end(2)
    expect(await Promise.all(results)).toEqual(['did a', 'did b', 'did c'])
    expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  test('begins items that waited together, in order, up to the size of a group', async () => {
    const { limit, begun, end } = groups()
    const results = ['a', 'b', 'cc', 'd', 'eeeee', 'f'].map((item) => limit.run(item))
    expect(limit.figures).toEqual({ running: 1, waiting: 5, refused: 0 })
    for (let nth = 0; nth < 5; nth++) await end(nth)
    expect(begun).toEqual([['a'], ['b', 'cc'], ['d'], ['eeeee'], ['f']])
    expect(await Promise.all(results)).toHaveLength(6)
  })

  test('gives each item of a group its own outcome', async () => {
    const { limit, end, ends } = groups()
    const [first, good, bad] = ['a', 'b', 'c'].map((item) => limit.run(item))
    await end(0)
    const reason = new Error('bad')
    ends[1]!.resolve([
      { status: 'fulfilled', value: 'good' },
      { status: 'rejected', reason },
    ])
    expect(await bad!.catch((error) => error)).toBe(reason)
    expect([await first, await good]).toEqual(['did a', 'good'])
  })

  test('fails all items of a group whose work fails, and goes on with the next', async () => {
    const { limit, begun, ends, end } = groups()
    const outcomes = Promise.allSettled(['a', 'b', 'cc', 'd'].map((item) => limit.run(item)))
    const reason = new Error('away')
    await end(0)
    ends[1]!.reject(reason)
    await Bun.sleep(0)
    await end(2)
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: 'did a' },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'fulfilled', value: 'did d' },
    ])
    expect(begun).toEqual([['a'], ['b', 'cc'], ['d']])
  })

  test('refuses an item beyond those that may wait at once, and never begins it', async () => {
    const { limit, begun, end } = groups({ waitingMax: 1 })
    const results = [limit.run('a'), limit.run('b')]
    expect(() => limit.run('c')).toThrow('overloaded')
    await end(0)
    await end(1)
    await Promise.all(results)
    expect(begun).toEqual([['a'], ['b']])
    expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 1 })
  })

  test('refuses an item that waits too long, and never begins it', async () => {
    const { limit, begun, end } = groups()
    const first = limit.run('a')
    const startMs = performance.now()
    const late = await limit.run('b').catch((error: ServiceError) => error)
    expect(late).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
    expect(performance.now() - startMs).toBeGreaterThan(TURN_MS_MAX - 50)
    await end(0)
    await first
    expect(begun).toEqual([['a']])
  })
})
