import { expect, test } from 'bun:test'
import type { Batch, Recording } from '~/domain/observation.ts'
import type { OwnCommit } from '~/jobs/own-commits.ts'
import { recorderOf } from '~/runtime/recorder.ts'
import { observation } from '../store/samples.ts'
import { noReferences } from '../support/days.ts'
import { until } from '../support/until.ts'
import { UNWATCHED } from '../support/unwatched-recording.ts'

type Deps = Parameters<typeof recorderOf>[0]

/** A store that prepares every batch, and commits each of a group on its own. */
const storeOf = (record: () => Promise<Recording>): Deps['observations'] => ({
  async prepare({ observations, idempotency }) {
    const ids = { series: [], offerIds: [], recorderId: null, via: null }
    return { kind: 'prepared', observations, idempotency, upload: null, ...ids }
  },
  commit: (batches) => Promise.allSettled(batches.map(record)),
  answered: async () => null,
})

const recording: Deps = {
  observations: storeOf(async () => ({ kind: 'recorded', ids: [] })),
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

test('a batch whose sender got an answer while it waited for its turn is not recorded', async () => {
  let recorded = 0
  const first = Promise.withResolvers<void>()
  const recorder = recorderOf({
    ...recording,
    observations: storeOf(async () => {
      recorded++
      await first.promise
      return { kind: 'recorded', ids: [] }
    }),
  })
  const brokenOff = new AbortController()
  const running = recorder.record({ ...EMPTY, assertAwaited() {} })
  await until('the first commit', async () => recorded === 1)
  const waiting = recorder.record({
    ...EMPTY,
    assertAwaited: () => brokenOff.signal.throwIfAborted(),
  })
  await until('a batch that waits', async () => recorder.figures().waiting === 1)
  brokenOff.abort(new Error('the body broke off'))
  const next = recorder.record(EMPTY)
  first.resolve()
  await expect(waiting).rejects.toThrow('the body broke off')
  await Promise.all([running, next])
  expect(recorded).toBe(2)
  expect(recorder.figures()).toEqual({ running: 0, waiting: 0, refused: 0 })
})

const batch: Batch = { observations: [observation(), observation()], idempotency: null }
const recorded = { kind: 'recorded', ids: [7, 8], position: 90, previous: 80, atMs: 5 } as const

test('it answers once what was recorded is served, which need not be read again', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const handed: OwnCommit[] = []
  const recorder = recorderOf({
    ...recording,
    observations: storeOf(async () => recorded),
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
  expect(recorder.figures().running).toBe(0)
  resolve(true)
  expect(await answer).toEqual(recorded)
})

test('the rows of batches that were committed together are handed over at once', async () => {
  const handed: OwnCommit[] = []
  const first = Promise.withResolvers<void>()
  let ids = 0
  const recorder = recorderOf({
    ...recording,
    observations: {
      ...storeOf(async () => recorded),
      async commit(batches) {
        await first.promise
        const place = { position: 90 + ids, previous: 80, atMs: 5 }
        return batches.map(() => ({
          status: 'fulfilled',
          value: { kind: 'recorded', ids: [++ids, ++ids], ...place },
        }))
      },
    },
    follower: {
      ...recording.follower,
      async serve(commit) {
        handed.push(commit)
        return true
      },
    },
  })
  const answers = [batch, batch, batch].map((one) => recorder.record(one))
  await until('a group that waits', async () => recorder.figures().waiting === 2)
  first.resolve()
  await Promise.all(answers)
  const quotes = handed.map((commit) => commit.quotes?.map(({ id }) => id))
  expect(quotes).toEqual([
    [1, 2],
    [3, 4, 5, 6],
  ])
})

test('503 where it is committed, and not served in time', async () => {
  const recorder = recorderOf({
    ...recording,
    observations: storeOf(async () => recorded),
    follower: { ...recording.follower, serve: async () => false },
  })
  await expect(recorder.record(batch)).rejects.toMatchObject({ code: 'database_unavailable' })
})

test('a retry is answered once the log was read up to then, or 503', async () => {
  let reads = 0
  const retried = (isFailing: boolean) =>
    recorderOf({
      ...recording,
      observations: storeOf(async () => ({ kind: 'replayed', inserted: 1, ids: [7] })),
      follower: { ...recording.follower, caughtUp: async () => void reads++, isFailing },
    }).record(batch)
  expect(await retried(false)).toMatchObject({ kind: 'replayed' })
  await expect(retried(true)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(reads).toBe(2)
})

test('what the server refused and what broke off is 503', async () => {
  const failing = (error: Error) =>
    recorderOf({
      ...recording,
      observations: storeOf(() => Promise.reject(error)),
    }).record(EMPTY)
  const away = Object.assign(new Error('a worker is away'), { code: '08006', severity: 'ERROR' })
  const closed = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  const ended = Object.assign(new Error('shutting down'), { code: '57P01', severity: 'FATAL' })
  for (const error of [away, closed, ended])
    await expect(failing(error)).rejects.toMatchObject({ code: 'database_unavailable' })
})
