import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '~/domain/duration.ts'
import { Memory } from '~/memory/memory.ts'
import { sendingsOnce } from '~/runtime/people/people.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

describe('sendingsOnce', () => {
  const asked: number[] = []
  const memory = new Memory()
  const ask = sendingsOnce(memory, async (nowMs) => {
    asked.push(nowMs)
    return []
  })

  test('queries once for requests of one minute, even concurrent ones', async () => {
    await Promise.all([ask(NOW_MS), ask(NOW_MS), ask(NOW_MS + MINUTE_MS - 1)])
    expect(asked).toEqual([NOW_MS])
  })

  test('queries again after a minute, and when the clock was set back by one', async () => {
    await ask(NOW_MS + MINUTE_MS)
    await ask(NOW_MS)
    expect(asked.splice(0)).toEqual([NOW_MS, NOW_MS + MINUTE_MS, NOW_MS])
  })

  test('queries again after a publication', async () => {
    memory.publish({}, NOW_MS)
    await ask(NOW_MS)
    expect(asked).toEqual([NOW_MS])
  })

  test('queries again after a query that failed', async () => {
    let asked = 0
    const failing = sendingsOnce(memory, async () => {
      asked++
      throw new Error('away')
    })
    await expect(failing(NOW_MS)).rejects.toThrow('away')
    await expect(failing(NOW_MS)).rejects.toThrow('away')
    expect(asked).toBe(2)
  })
})
