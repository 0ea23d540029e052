import { expect, test } from 'bun:test'
import { DayShare } from '~/memory/day-share.ts'

test('a unit is returned to its share unless it was counted meanwhile', () => {
  const share = new DayShare('a', 1)
  share.grant(0, 10)
  share.spent = 2
  share.giveBack()
  expect([share.spent, share.held]).toEqual([1, 9])
  share.tell()
  share.giveBack()
  expect([share.spent, share.held]).toEqual([1, 9])
})
