import { describe, expect, test } from 'bun:test'
import type { ServiceError } from '~/domain/errors.ts'
import { TURN_MS_MAX, WorkLimit } from '~/service/work-limit.ts'

/** Works that begin when the limit allows them and end on demand. */
function works(limit: WorkLimit, count: number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<string>())
  const results = ends.map(({ promise }, i) =>
    limit
      .run(() => {
        begun.push(i)
        return promise
      })
      .catch((error: ServiceError) => error),
  )
  return { begun, ends, results }
}

describe('WorkLimit.run', () => {
  test('returns the result of the work, or its failure', async () => {
    const limit = new WorkLimit({ runningMax: 1, waitingMax: 0 })
    expect(await limit.run(async () => 7)).toBe(7)
    const fault = new Error('no')
    expect(await limit.run(() => Promise.reject(fault)).catch((error) => error)).toBe(fault)
    const thrown = limit.run(() => {
      throw fault
    })
    expect(await thrown.catch((error) => error)).toBe(fault)
    expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  test('runs as many at once as allowed, and starts the others in order', async () => {
    const limit = new WorkLimit({ runningMax: 2, waitingMax: 2 })
    const { begun, ends, results } = works(limit, 4)
    expect(begun).toEqual([0, 1])
    expect(limit.figures).toEqual({ running: 2, waiting: 2, refused: 0 })
    ends[1]!.resolve('b')
    await results[1]
    await Bun.sleep(0)
    expect(begun).toEqual([0, 1, 2])
    ends[0]!.reject(new Error('failed'))
    await results[0]
    await Bun.sleep(0)
    expect(begun).toEqual([0, 1, 2, 3])
    for (const { resolve } of ends) resolve('done')
    await Promise.all(results)
    expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  test('refuses work beyond the queue at once, and never begins it', async () => {
    const limit = new WorkLimit({ runningMax: 1, waitingMax: 1 })
    const { begun, ends, results } = works(limit, 3)
    expect(await results[2]).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
    for (const { resolve } of ends) resolve('done')
    await Promise.all(results)
    expect(begun).toEqual([0, 1])
    expect(limit.figures).toEqual({ running: 0, waiting: 0, refused: 1 })
  })

  test('refuses work that waits too long, and never begins it', async () => {
    const limit = new WorkLimit({ runningMax: 1, waitingMax: 5 })
    const { begun, ends, results } = works(limit, 2)
    const startMs = performance.now()
    expect(await results[1]).toMatchObject({ code: 'overloaded' })
    expect(performance.now() - startMs).toBeGreaterThan(TURN_MS_MAX - 50)
    ends[0]!.resolve('done')
    await results[0]
    expect(begun).toEqual([0])
    expect(await limit.run(async () => 'free again')).toBe('free again')
  })
})
