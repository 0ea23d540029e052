import { expect, test } from 'bun:test'
import { loadConfig } from '~/config.ts'
import { alertDepsOf } from '~/runtime/alert/alerting.ts'
import { World } from '../../support/world.ts'

test('an alert starts from all that was committed, or not at all', async () => {
  const { memory, live, clock } = new World()
  const follower = { caughtUp: async () => {}, isBehind: false }
  const parts = { memory, live, clock, follower, config: loadConfig({}), onChange: async () => {} }
  const deps = alertDepsOf({ ...parts, database: {}, past: {}, secret: {} } as never)
  expect((await deps.live.caughtUp()).position).toBe(live.position)
  follower.isBehind = true
  await expect(deps.live.caughtUp()).rejects.toMatchObject({ code: 'database_unavailable' })
})
