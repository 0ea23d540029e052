import { describe, expect, test } from 'bun:test'
import { recheck } from '~/jobs/recheck.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import { KeptLog } from '../support/log.ts'

const refresher = (reload: () => Promise<boolean>) => ({ reload }) as Refresher

describe('recheck', () => {
  test('reports a row that memory lacked, and nothing if memory had all', async () => {
    const log = new KeptLog()
    await recheck(
      refresher(async () => false),
      log,
    )
    expect(log.lines).toEqual([])
    await recheck(
      refresher(async () => true),
      log,
    )
    expect(log.said).toEqual([
      'info: memory lacked rows that the database has; they are loaded now',
    ])
  })

  test('rejects when the database does not answer', async () => {
    const away = new Error('away')
    const failing = refresher(() => Promise.reject(away))
    await expect(recheck(failing, new KeptLog())).rejects.toBe(away)
  })
})
