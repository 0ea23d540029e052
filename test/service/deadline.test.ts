import { describe, expect, test } from 'bun:test'
import type { ServiceError } from '~/domain/errors.ts'
import { inTime } from '~/service/deadline.ts'

const limits = { msMax: 5, message: 'too late' }

describe('inTime', () => {
  test('returns the result or the error of the work', async () => {
    expect(await inTime(Promise.resolve(1), limits)).toBe(1)
    await expect(inTime(Promise.reject(new Error('no')), limits)).rejects.toThrow('no')
  })

  test('throws database_unavailable for work that takes too long', async () => {
    const never = new Promise<never>(() => {})
    const error: ServiceError = await inTime<never>(never, limits).catch((caught) => caught)
    expect(error).toMatchObject({ code: 'database_unavailable', message: 'too late' })
    expect((error.cause as Error).message).toBe('no response from the database within 5 ms')
  })
})
