import { expect, test } from 'bun:test'
import type { Batch } from '~/domain/observation.ts'
import type { OwnCommit } from '~/jobs/own-commits.ts'
import { recorderOf } from '~/runtime/recorder.ts'
import { observation } from '../store/samples.ts'
import { noReferences } from '../support/days.ts'
import { UNWATCHED } from '../support/unwatched-recording.ts'

const recording: Parameters<typeof recorderOf>[0] = {
  observations: {
    record: async () => ({ kind: 'recorded', ids: [] }),
    answered: async () => null,
  },
  withdrawals: {
    named: async () => [],
    withdraw: async () => ({ withdrawn: [], quotes: [] }),
  },
  days: { referencesAt: noReferences },
  tracing: null,
  work: { historyMax: 1, ingestMax: 1, waitingMax: 2 },
  ...UNWATCHED,
}
const EMPTY: Batch = { observations: [], idempotency: null }

test('a batch whose sender got a response while it waited for its turn is not recorded', async () => {
  const recorded: Batch[] = []
  const first = Promise.withResolvers<void>()
  const recorder = recorderOf({
    ...recording,
    observations: {
      ...recording.observations,
      async record(batch) {
        recorded.push(batch)
        await first.promise
        return { kind: 'recorded', ids: [] }
      },
    },
  })
  const brokenOff = new AbortController()
  const running = recorder.record({ ...EMPTY, assertAwaited() {} })
  const waiting = recorder.record({
    ...EMPTY,
    assertAwaited: () => brokenOff.signal.throwIfAborted(),
  })
  brokenOff.abort(new Error('the body broke off'))
  const next = recorder.record(EMPTY)
  first.resolve()
  await expect(waiting).rejects.toThrow('the body broke off')
  await Promise.all([running, next])
  expect(recorded).toHaveLength(2)
  expect(recorder.limit.figures).toEqual({ running: 0, waiting: 0, refused: 0 })
})

const batch: Batch = { observations: [observation(), observation()], idempotency: null }
const recorded = { kind: 'recorded', ids: [7, 8], position: 90, previous: 80, atMs: 5 } as const

test('the response comes once the recorded rows are served, which need not be read again', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const handed: (OwnCommit | null)[] = []
  const recorder = recorderOf({
    ...recording,
    observations: { ...recording.observations, record: async () => recorded },
    follower: {
      ...recording.follower,
      serve(commit) {
        handed.push(commit)
        return promise
      },
    },
  })
  let isAnswered = false
  const answer = recorder.record(batch).then((answered) => {
    isAnswered = true
    return answered
  })
  await Bun.sleep(0)
  expect(isAnswered).toBe(false)
  expect(handed).toMatchObject([
    { position: 90, previous: 80, atMs: 5, quotes: [{ id: 7 }, { id: 8 }], isNamed: true },
  ])
  expect(recorder.limit.figures.running).toBe(0)
  resolve(true)
  expect(await answer).toEqual(recorded)
})

test('503 is returned if the batch is committed, and not served in time', async () => {
  const recorder = recorderOf({
    ...recording,
    observations: { ...recording.observations, record: async () => recorded },
    follower: { ...recording.follower, serve: async () => false },
  })
  await expect(recorder.record(batch)).rejects.toMatchObject({ code: 'database_unavailable' })
})

test('a retry gets its response once the log was read up to then, or 503', async () => {
  const handed: unknown[] = []
  const retried = (isServed: boolean) =>
    recorderOf({
      ...recording,
      observations: {
        ...recording.observations,
        record: async () => ({ kind: 'replayed', inserted: 1, ids: [7] }),
      },
      follower: {
        ...recording.follower,
        serve: async (commit) => {
          handed.push(commit)
          return isServed
        },
      },
    }).record(batch)
  expect(await retried(true)).toMatchObject({ kind: 'replayed' })
  await expect(retried(false)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(handed).toEqual([null, null])
})

test('503 is returned if the server refuses or the connection breaks', async () => {
  const failing = (error: Error) =>
    recorderOf({
      ...recording,
      observations: { ...recording.observations, record: () => Promise.reject(error) },
    }).record(EMPTY)
  const away = Object.assign(new Error('a worker is away'), { code: '08006', severity: 'ERROR' })
  const closed = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  const ended = Object.assign(new Error('shutting down'), { code: '57P01', severity: 'FATAL' })
  for (const error of [away, closed, ended])
    await expect(failing(error)).rejects.toMatchObject({ code: 'database_unavailable' })
})
