import { expect, test } from 'bun:test'
import { inTurn } from '~/jobs/in-turn.ts'

test('every item has its turn, however many fail before it', async () => {
  const worked: number[] = []
  const turns = inTurn([1, 2, 3, 4, 5], 2, async (item) => {
    worked.push(item)
    if (item < 4) throw new Error(`${item} failed`)
  })
  await expect(turns).rejects.toThrow('1 failed')
  expect(worked).toEqual([1, 2, 3, 4, 5])
})
