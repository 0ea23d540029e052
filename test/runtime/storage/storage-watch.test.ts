import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { StorageWatch } from '~/runtime/storage/storage-watch.ts'
import type { StorageFigures } from '~/store/storage/storage-store.ts'
import { clockAt } from '../../support/clock.ts'
import { KeptLog } from '../../support/log.ts'

const AT = '2026-03-05T14:25:30.500Z'
const FULL = Object.assign(new Error('could not extend file'), { code: '53100' })

function watching(figures: Partial<StorageFigures> = {}, backupCron: string | null = null) {
  const clock = clockAt(AT)
  const log = new KeptLog()
  const trials: Error[] = []
  let looks = 0
  const all = { databaseBytes: 1, disk: null, monthsUntilMs: null, lastBackupMs: null, ...figures }
  const store = {
    async figures(beforeMs: number) {
      looks++
      const isBefore = (all.lastBackupMs ?? 0) < beforeMs
      return { ...all, lastBackupMs: isBefore ? all.lastBackupMs : null }
    },
    async writeBriefly() {
      const failure = trials.shift()
      if (failure) throw failure
    },
  }
  const watch = new StorageWatch({ store, clock, log, backupCron })
  return { watch, clock, log, trials, looks: () => looks }
}

describe('StorageWatch', () => {
  test('counts a disk as full until something is recorded', () => {
    const { watch, log } = watching()
    expect(watch.isRecording).toBe(true)
    for (let i = 0; i < 3; i++) watch.noteFull()
    expect(watch.isRecording).toBe(false)
    for (let i = 0; i < 2; i++) watch.noteRecorded()
    expect(watch.isRecording).toBe(true)
    expect(log.said).toEqual([
      'error: the database has no room on its disk: nothing is recorded',
      'info: the database has room on its disk again',
    ])
  })

  test('tries by itself, and trusts a success after a failure', async () => {
    const { watch, trials } = watching()
    watch.noteFull()
    trials.push(FULL)
    await watch.check()
    expect(watch.isRecording).toBe(false)
    await watch.check()
    expect(watch.isRecording).toBe(true)
  })

  test('trusts a success that may prove nothing only a minute after the last refusal', async () => {
    const { watch, clock } = watching()
    watch.noteFull()
    await watch.check()
    clock.advance(MINUTE_MS - 1)
    await watch.check()
    expect(watch.isRecording).toBe(false)
    clock.advance(1)
    await watch.check()
    expect(watch.isRecording).toBe(true)
  })

  test('rejects if the database fails otherwise, and keeps its state', async () => {
    const { watch, trials } = watching()
    watch.noteFull()
    trials.push(new Error('connection refused'))
    await expect(watch.check()).rejects.toThrow('refused')
    expect(watch.isRecording).toBe(false)
  })

  test('reads the sizes once a minute, and each time while the disk is full', async () => {
    const { watch, clock, looks } = watching()
    for (let i = 0; i < 3; i++) await watch.check()
    expect(looks()).toBe(1)
    clock.advance(MINUTE_MS)
    await watch.check()
    expect(looks()).toBe(2)
    watch.noteFull()
    await watch.check()
    expect(looks()).toBe(3)
    watch.noteRecorded()
    clock.advance(-DAY_MS)
    await watch.check()
    expect(looks()).toBe(4)
  })
})

describe('StorageWatch.overdueMs', () => {
  test('is unknown if no backup was ever created and none is scheduled', async () => {
    const { watch } = watching()
    await watch.check()
    expect(watch.overdueMs).toBeNull()
  })

  test('counts from two days after the last manual one', async () => {
    const { watch, clock } = watching({ lastBackupMs: Date.parse(AT) })
    await watch.check()
    clock.advance(2 * DAY_MS)
    expect(watch.overdueMs).toBe(0)
    clock.advance(HOUR_MS)
    expect(watch.overdueMs).toBe(HOUR_MS)
  })

  test('counts no backup of a clock that was ahead', async () => {
    const { watch } = watching({ lastBackupMs: Date.parse(AT) + DAY_MS })
    await watch.check()
    expect(watch.overdueMs).toBeNull()
  })

  test('allows a scheduled one an hour, and a new service until its first', async () => {
    const { watch, clock } = watching({}, '0 15 * * *')
    await watch.check()
    expect(watch.overdueMs).toBe(0)
    clock.set('2026-03-05T15:59:59.999Z')
    expect(watch.overdueMs).toBe(0)
    clock.set('2026-03-05T16:00:00.000Z')
    expect(watch.overdueMs).toBe(HOUR_MS)
    clock.set('2026-03-06T14:59:00.000Z')
    expect(watch.overdueMs).toBe(24 * HOUR_MS - MINUTE_MS)
  })

  test('ends with the next scheduled one', async () => {
    const { watch, clock } = watching(
      { lastBackupMs: Date.parse('2026-03-05T15:04:00Z') },
      '0 15 * * *',
    )
    clock.set('2026-03-06T15:30:00Z')
    await watch.check()
    expect(watch.overdueMs).toBe(0)
    clock.set('2026-03-06T16:00:00Z')
    expect(watch.overdueMs).toBe(HOUR_MS)
  })
})
