import { describe, expect, test } from 'bun:test'
import { connect } from '~/store/database.ts'
import { atOneMoment } from '~/store/offer/at-one-moment.ts'
import { databasesOfFile } from '../samples.ts'

const newDatabase = databasesOfFile()

describe('atOneMoment', () => {
  test('shows every share the rows at the start of the first, and nothing later', async () => {
    const { sql } = await newDatabase()
    await sql`create table notes (word text)`
    await sql`insert into notes values ('before')`
    const isTold = Promise.withResolvers<void>()
    const shares = await atOneMoment(sql, 3, async (tx, share) => {
      if (share.nth === 0)
        await sql`insert into notes values ('meanwhile')`.then(() => isTold.resolve())
      await isTold.promise
      return { share, words: (await tx`select word from notes`).map(({ word }) => word) }
    })
    expect(shares).toEqual([0, 1, 2].map((nth) => ({ share: { nth, of: 3 }, words: ['before'] })))
  })

  test('uses fewer shares if the pool has fewer connections', async () => {
    const { url } = await newDatabase()
    for (const [connectionsMax, of] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const) {
      const sql = connect(url, { connectionsMax })
      const shares = await atOneMoment(sql, 2, async (tx, share) => {
        await tx`select 1`
        return share
      })
      await sql.end()
      expect(shares).toEqual(Array.from({ length: of }, (_, nth) => ({ nth, of })))
    }
  })

  test('fails if one share fails', async () => {
    const { sql } = await newDatabase()
    const failing = atOneMoment(sql, 2, async (tx, { nth }) => {
      if (nth === 1) throw new Error('a share failed')
      return tx`select 1`
    })
    expect(failing).rejects.toThrow('a share failed')
  })

  test('completes many concurrent reads, more than the pool has connections', async () => {
    const { url } = await newDatabase()
    const sql = connect(url, { connectionsMax: 3 })
    const works = Array.from({ length: 9 }, () =>
      atOneMoment(sql, 2, async (tx, { nth }) => {
        await tx`select 1`
        return nth
      }),
    )
    works.splice(
      4,
      1,
      atOneMoment(sql, 2, () => Promise.reject(new Error('one of them failed'))),
    )
    const outcomes = await Promise.allSettled(works)
    await sql.end()
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      outcomes.map((_, i) => i !== 4),
    )
  })
})
