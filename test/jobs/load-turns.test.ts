import { expect, test } from 'bun:test'
import { LoadTurns } from '~/jobs/load-turns.ts'
import { clockAt } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'

test('a request that a turn has served waits no more, even if others came meanwhile', async () => {
  const clock = clockAt('2026-03-05T14:25:30.500Z')
  const startMs = clock.now()
  const waiting: (number | null)[] = []
  let left = 3
  const turns = new LoadTurns({
    ...{ clock, log: new KeptLog(), failure: 'nothing was loaded' },
    async work() {
      waiting.push(turns.waitingSinceMs)
      clock.advance(1000)
      if (left-- > 0) void turns.take()
      clock.advance(1000)
    },
  })
  await turns.take()
  while (left >= 0) await turns.settled()
  expect(waiting.map((ms) => ms! - startMs)).toEqual([0, 1000, 3000, 5000])
  expect(turns.waitingSinceMs).toBeNull()
})
