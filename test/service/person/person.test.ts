import { expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import { type PersonDeps, personOf } from '~/service/person/person.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

test.each([
  ['left as it is, used half a minute ago', -MINUTE_MS / 2, []],
  ['noted as used, after two minutes', -2 * MINUTE_MS, ['used']],
  ['ended, after a day without use', -DAY_MS, ['ended']],
  ['noted as used, by a clock that is ahead', 5 * MINUTE_MS, ['used']],
  ['ended, used before a clock was turned back by a year', 365 * DAY_MS, ['ended']],
])('a session is %s', async (_what, agoMs, outcome) => {
  const seen: string[] = []
  const usedMs = NOW_MS + agoMs
  const ids = { userId: 'user', email: 'a@b.example', sessionId: 'session', token: 'token' }
  const deps: PersonDeps = {
    people: { session: async () => ({ ...ids, usedMs, hasSecondFactor: false }) },
    members: { accountOf: async () => null },
    sessions: {
      touchSession: async () => void seen.push('used'),
      endSession: async () => void seen.push('ended'),
    },
    published: async () => {},
    sessionIdleMs: DAY_MS,
    secondFactorRoles: [],
  }
  await personOf(deps, new Headers(), { nowMs: NOW_MS, keys: () => KeyIndex.empty })
  expect(seen).toEqual(outcome)
})
