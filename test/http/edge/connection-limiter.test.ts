import { describe, expect, test } from 'bun:test'
import { ConnectionLimiter } from '~/http/edge/connection-limiter.ts'
import { KeptLog } from '../../support/log.ts'

const MAX = 80
const HIGH = 70
const LOW = 60

function world() {
  const log = new KeptLog()
  const done: string[] = []
  const at = { open: 0 as number | null, idle: 0, isTaken: false }
  const room = { open: () => at.open, max: MAX as number | null }
  const threshold = {
    dropIdle() {
      done.push('drop')
      at.open = (at.open ?? 0) - at.idle
      at.idle = 0
    },
    shut: () => void done.push('shut'),
    reopen() {
      if (at.isTaken) throw new Error('the port is taken')
      done.push('reopen')
    },
  }
  const limiter = new ConnectionLimiter(log)
  return { limiter, log, done, at, room, check: () => limiter.check(room, threshold) }
}

describe('ConnectionLimiter.check', () => {
  test('does nothing until an eighth below the limit, and nothing if the number is unknown', () => {
    const { at, check, done, room } = world()
    for (const open of [0, HIGH - 1, null]) {
      at.open = open
      check()
    }
    at.open = MAX
    room.max = null
    check()
    expect(done).toEqual([])
  })

  test('closes idle connections first, and accepts new ones if that is enough', () => {
    const { at, check, done, limiter, log } = world()
    Object.assign(at, { open: HIGH, idle: 1 })
    check()
    expect(done).toEqual(['drop'])
    expect([limiter.crowds, limiter.refusals, limiter.isShut]).toEqual([1, 0, false])
    expect(log.said).toEqual([
      'warn: close to the limit of file descriptors: idle connections are closed',
    ])
  })

  test('refuses new connections if it is not enough, until a quarter is free', () => {
    const { at, check, done, limiter } = world()
    at.open = HIGH
    check()
    expect([limiter.isShut, limiter.refusals]).toEqual([true, 1])
    at.open = LOW + 1
    check()
    expect(limiter.isShut).toBe(true)
    at.open = LOW
    check()
    expect(limiter.isShut).toBe(false)
    expect(done).toEqual(['drop', 'shut', 'reopen'])
  })

  test('keeps closing idle connections while it is shut', () => {
    const { at, check, done } = world()
    at.open = MAX
    check()
    check()
    Object.assign(at, { idle: 30 })
    check()
    expect(done).toEqual(['drop', 'shut', 'drop', 'drop', 'reopen'])
  })

  test('tries again if another process has taken the port in the meantime', () => {
    const { at, check, limiter } = world()
    at.open = MAX
    check()
    Object.assign(at, { open: 0, isTaken: true })
    check()
    expect(limiter.isShut).toBe(true)
    at.isTaken = false
    check()
    expect(limiter.isShut).toBe(false)
  })

  test('logs one line for each change, however long a crowd lasts', () => {
    const { at, check, log } = world()
    for (let i = 0; i < 500; i++) {
      Object.assign(at, { open: i % 2 ? HIGH : HIGH - 5, idle: 20 })
      check()
    }
    expect(log.said).toHaveLength(1)
    at.open = MAX
    for (let i = 0; i < 5; i++) check()
    at.open = 0
    for (let i = 0; i < 500; i++) check()
    expect(log.said.slice(1)).toEqual([
      'error: out of file descriptors: new connections are refused',
      'warn: new connections are accepted again',
      'info: there is room for connections again',
    ])
  })
})
