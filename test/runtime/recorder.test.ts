import { expect, test } from 'bun:test'
import type { Batch } from '~/domain/observation.ts'
import type { DatabaseChange } from '~/jobs/backlog.ts'
import { recorderOf } from '~/runtime/recorder.ts'
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
  references: { referencesAt: noReferences },
  refresher: { note() {} },
  changes: { noteLostAnswer() {}, caughtUp: async () => {} },
  tracing: null,
  work: { historyMax: 1, ingestMax: 1, waitingMax: 2 },
  ...UNWATCHED,
}
const EMPTY: Batch = { observations: [], idempotency: null }

test('a batch whose sender got an answer while it waited for its turn is not recorded', async () => {
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

test('what the server refused is not recorded for certain; what broke off may be', async () => {
  let lost = 0
  const failing = (error: Error) =>
    recorderOf({
      ...recording,
      observations: { ...recording.observations, record: () => Promise.reject(error) },
      changes: { ...recording.changes, noteLostAnswer: () => void lost++ },
    }).record(EMPTY)
  const away = Object.assign(new Error('a worker is away'), { code: '08006', severity: 'ERROR' })
  await expect(failing(away)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(lost).toBe(0)
  const closed = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  await expect(failing(closed)).rejects.toMatchObject({ code: 'database_unavailable' })
  const ended = Object.assign(new Error('shutting down'), { code: '57P01', severity: 'FATAL' })
  await expect(failing(ended)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(lost).toBe(2)
})

test('where days cannot be looked up, all of them are loaded later', async () => {
  const noted: DatabaseChange[] = []
  const recorder = recorderOf({
    ...recording,
    references: { referencesAt: () => Promise.reject(new Error('database away')) },
    refresher: { note: (change) => noted.push(change) },
  })
  await expect(recorder.referencesAt([{ currency: 'KES', atMs: 0 }])).rejects.toThrow('away')
  expect(noted).toEqual([{ kind: 'references' }])
})
