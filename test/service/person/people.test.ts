import { describe, expect, test } from 'bun:test'
import { type PeopleDeps, signUp } from '~/service/person/people.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30Z')
const ORIGIN = { address: '192.0.2.1', nowMs: NOW_MS, devices: '', userAgent: '', language: 'en' }
const PERSON = { email: 'ada@example.org', password: 'correct horse battery' }

/** Reports whether it is settled once everything has run that needs no outside event. */
async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let isDone = false
  work.then(
    () => (isDone = true),
    () => (isDone = true),
  )
  for (let i = 0; i < 50; i++) await Promise.resolve()
  return isDone
}

function started(signUpWork: () => Promise<boolean>) {
  const { promise: pause, resolve: endPause } = Promise.withResolvers<void>()
  const deps = {
    people: { signUp: signUpWork },
    attempts: { countAttempt: async () => 1, forgetAttempts: async () => {} },
    fingerprint: async (text: string) => text,
    waited: () => pause,
  } as unknown as PeopleDeps
  return { answer: signUp(deps, PERSON, ORIGIN), endPause }
}

describe('signUp, which must not reveal whether an email is known', () => {
  test.each([
    ['quick', () => Promise.resolve(true)],
    ['refused', () => Promise.resolve(false)],
    ['failing', () => Promise.reject(new Error('away'))],
  ])('does not return before its time if the work is %s', async (_what, work) => {
    const { answer, endPause } = started(work)
    expect(await isSettled(answer)).toBe(false)
    endPause()
    expect(await isSettled(answer)).toBe(true)
    await answer.catch(() => {})
  })

  test('does not return before the work is done if that takes longer', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { answer, endPause } = started(() => promise)
    endPause()
    expect(await isSettled(answer)).toBe(false)
    resolve(true)
    expect(await answer).toBe(true)
  })
})
