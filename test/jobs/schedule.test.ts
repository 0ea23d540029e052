import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import {
  instantsOf,
  isCronPattern,
  lastInstantMs,
  type Schedule,
  startSchedule,
} from '~/jobs/schedule.ts'
import { KeptLog } from '../support/log.ts'

const SECOND_MS = 1000
const EVERY_SECOND = '* * * * * *'

/** Runs the promises that are due; no timer moves. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

async function advance(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  await turns()
}

describe('isCronPattern', () => {
  test('accepts five fields, six with seconds, and the nicknames', () => {
    for (const text of ['7 * * * *', '*/10 * * * *', EVERY_SECOND, '0 6 * * MON-FRI', '@daily'])
      expect(isCronPattern(text)).toBe(true)
  })

  test('refuses everything else: words, too few fields, minute 60, a single date, a day that never comes', () => {
    for (const text of [
      '',
      'hourly',
      '* * * *',
      '60 * * * *',
      '7 * * * * foo',
      '2036-01-01T00:00:00',
      '0 0 31 2 *',
      '7 24 * * *',
    ])
      expect(isCronPattern(text)).toBe(false)
  })
})

describe('the times of a pattern', () => {
  const ms = (text: string) => Date.parse(`2026-03-05T${text}Z`)

  test('lastInstantMs is the last one at or before a time, to the millisecond', () => {
    expect(lastInstantMs('7 * * * *', ms('14:07:00.000'))).toBe(ms('14:07:00'))
    expect(lastInstantMs('7 * * * *', ms('14:06:59.999'))).toBe(ms('13:07:00'))
    expect(lastInstantMs('7 * * * *', ms('14:07:00.001'))).toBe(ms('14:07:00'))
    expect(lastInstantMs(EVERY_SECOND, ms('14:07:01.500'))).toBe(ms('14:07:01'))
  })

  test('instantsOf gives the first one after a time, whichever way the clock goes', () => {
    const next = instantsOf('7 * * * *')
    expect(next(ms('14:06:59.999'))).toBe(ms('14:07:00'))
    expect(next(ms('14:07:00.000'))).toBe(ms('15:07:00'))
    expect(next(ms('15:06:59.999'))).toBe(ms('15:07:00'))
    expect(next(ms('09:00:00.000'))).toBe(ms('09:07:00'))
    expect(next(ms('15:07:00.000'))).toBe(ms('16:07:00'))
  })
})

describe('startSchedule', () => {
  let schedule: Schedule | null = null
  let log = new KeptLog()

  beforeEach(() => {
    jest.useFakeTimers()
    jest.setSystemTime(new Date('2026-03-05T14:25:30.500Z'))
    log = new KeptLog()
  })

  afterEach(async () => {
    await schedule?.stop()
    schedule = null
    jest.useRealTimers()
  })

  test('runs each job when its own pattern says so, in UTC', async () => {
    const ran: string[] = []
    const job = (name: string, pattern: string) => ({
      name,
      pattern,
      run: () => void ran.push(name),
    })
    schedule = startSchedule(
      [job('every second', EVERY_SECOND), job('at 14:26 UTC', '26 14 * * *')],
      log,
    )
    await advance(400)
    expect(ran).toEqual([])
    await advance(SECOND_MS)
    expect(ran).toEqual(['every second'])
    for (let i = 0; i < 30; i++) await advance(SECOND_MS)
    expect(ran.filter((name) => name === 'every second')).toHaveLength(31)
    expect(ran.filter((name) => name === 'at 14:26 UTC')).toHaveLength(1)
    expect(log.lines).toEqual([])
  })

  test('runs a job at the start too if it says so', async () => {
    const ran: string[] = []
    const job = { pattern: '26 14 * * *', run: () => void ran.push('at once') }
    schedule = startSchedule(
      [
        { ...job, name: 'at once', isAtStart: true },
        { ...job, name: 'later', run: () => void ran.push('later') },
      ],
      log,
    )
    await turns()
    expect(ran).toEqual(['at once'])
    for (let i = 0; i < 30; i++) await advance(SECOND_MS)
    expect(ran).toEqual(['at once', 'at once', 'later'])
  })

  test('never runs a job alongside itself, and skips times that pass meanwhile', async () => {
    const runs: PromiseWithResolvers<void>[] = []
    const run = () => {
      const turn = Promise.withResolvers<void>()
      runs.push(turn)
      return turn.promise
    }
    schedule = startSchedule([{ name: 'slow', pattern: EVERY_SECOND, run }], log)
    for (let i = 0; i < 5; i++) await advance(SECOND_MS)
    expect(runs).toHaveLength(1)
    runs[0]!.resolve()
    await turns()
    await advance(SECOND_MS)
    expect(runs).toHaveLength(2)
    runs[1]!.resolve()
  })

  test('a slow job does not delay another', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let quickRuns = 0
    schedule = startSchedule(
      [
        { name: 'slow', pattern: EVERY_SECOND, run: () => promise },
        { name: 'quick', pattern: EVERY_SECOND, run: () => void quickRuns++ },
      ],
      log,
    )
    for (let i = 0; i < 3; i++) await advance(SECOND_MS)
    expect(quickRuns).toBe(3)
    resolve()
  })

  test('a job that fails is logged once when it starts to fail, and once when it works again', async () => {
    const outcomes = [true, false, false, false, true, true, false]
    let run = 0
    const flaky = async () => {
      if (!outcomes[run++]) throw new Error('database away')
    }
    schedule = startSchedule([{ name: 'flaky', pattern: EVERY_SECOND, run: flaky }], log)
    for (let i = 0; i < outcomes.length; i++) await advance(SECOND_MS)
    expect(run).toBe(outcomes.length)
    expect(log.said).toEqual(['error: job failed', 'info: job works again', 'error: job failed'])
    expect(log.lines[0]?.context).toMatchObject({ job: 'flaky', err: { message: 'database away' } })
  })

  test('a job that throws at once is caught like one that rejects', async () => {
    const run = () => {
      throw new Error('at once')
    }
    schedule = startSchedule([{ name: 'broken', pattern: EVERY_SECOND, run }], log)
    await advance(SECOND_MS)
    await advance(SECOND_MS)
    expect(log.said).toEqual(['error: job failed'])
  })

  test('stop waits for the run in progress and starts no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let runs = 0
    const run = () => {
      runs += 1
      return promise
    }
    const stopping = startSchedule([{ name: 'slow', pattern: EVERY_SECOND, run }], log)
    await advance(SECOND_MS)
    let isStopped = false
    const stopped = stopping.stop().then(() => {
      isStopped = true
    })
    await advance(2 * SECOND_MS)
    expect(isStopped).toBe(false)
    resolve()
    await stopped
    await advance(5 * SECOND_MS)
    expect(runs).toBe(1)
    expect(log.lines).toEqual([])
  })

  test('stop leaves a run that does not end, and logs its name', async () => {
    const jobs = ['loading', 'short'].map((name) => ({
      ...{ name, pattern: EVERY_SECOND },
      run: () => (name === 'short' ? null : Promise.withResolvers().promise),
    }))
    const stopping = startSchedule(jobs, log)
    await advance(SECOND_MS)
    const stopped = stopping.stop()
    await advance(3 * SECOND_MS)
    await stopped
    expect(log.lines).toEqual([
      { level: 'warn', context: { jobs: ['loading'] }, message: 'jobs did not end in time' },
    ])
  })

  test('runNow runs a job out of turn, but never alongside itself and not after stop', async () => {
    const runs: PromiseWithResolvers<void>[] = []
    const run = () => {
      const turn = Promise.withResolvers<void>()
      runs.push(turn)
      return turn.promise
    }
    schedule = startSchedule([{ name: 'slow', pattern: EVERY_SECOND, run }], log)
    schedule.runNow('slow')
    schedule.runNow('slow')
    schedule.runNow('of another name')
    await advance(2 * SECOND_MS)
    expect(runs).toHaveLength(1)
    runs[0]!.reject(new Error('away'))
    await turns()
    expect(log.said).toEqual(['error: job failed'])
    schedule.runNow('slow')
    await turns()
    expect(runs).toHaveLength(2)
    const stopped = schedule.stop()
    runs[1]!.resolve()
    await stopped
    schedule.runNow('slow')
    await turns()
    expect(runs).toHaveLength(2)
  })

  test('with no job there is nothing to stop', async () => {
    await startSchedule([], log).stop()
    expect(log.lines).toEqual([])
  })
})
