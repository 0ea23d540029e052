import { describe, expect, test } from 'bun:test'
import { madeOnce } from '~/domain/made-once.ts'

describe('madeOnce', () => {
  test('creates a value that failed again at the next call, and then keeps it', async () => {
    let calls = 0
    const made = madeOnce(() => {
      calls++
      if (calls === 1) throw new Error('away')
      return 'text'
    })
    await expect(made()).rejects.toThrow('away')
    expect([await made(), await made(), calls]).toEqual(['text', 'text', 2])
  })
})
