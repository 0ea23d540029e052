import { expect, test } from 'bun:test'
import { createAccountStore } from '~/store/access/account-store.ts'
import { migrate } from '~/store/migrate.ts'
import { fillPlain, plainAnswers } from '../contract/plain-answers.ts'
import { addAccount, Replica } from '../runtime/replica-scene.ts'
import { folderBefore } from '../support/migrations.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

async function answersOf(database: FreshDatabase): Promise<string[]> {
  const answers = Object.entries(await plainAnswers(database))
  return answers.map((answer) => answer.join(' ').replace(/"recorded_at":"[^"]*"/g, ''))
}

test(
  'rows from before 0025_withdrawals are served like new ones, and belong to no account',
  async () => {
    const [database, plain] = [await emptyDatabase(), await freshDatabase()]
    await migrate(database, await folderBefore('0025_withdrawals'))
    // The helper that fills it names the columns of today's version.
    await database.sql`alter table providers add time_zone text`
    await fillPlain(database)
    await database.sql`alter table providers drop time_zone`
    expect(await migrate(database)).toBeGreaterThan(0)
    await fillPlain(plain)
    const expected = await answersOf(plain)
    expect(expected).toHaveLength(100)
    expect(await answersOf(database)).toEqual(expected)

    const treasury = await addAccount(database, { role: 'treasury' })
    const bound = await addAccount(database, { role: 'treasury' })
    const admin = await addAccount(database, { role: 'admin' })
    await createAccountStore(database).update(bound.id, { providers: ['retail-a'] })
    const replica = await Replica.start(database)
    const history = async (question = '') => {
      const path = `/rates/history?from=USD&to=KES&period=90d&limit=500${question}`
      return (await replica.get(path, admin.keys[0]!)).body.data
    }
    const of = async (providerId: string) => {
      const rows = (await history()) as { id: number; provider_id: string }[]
      return rows.find((row) => row.provider_id === providerId)!.id
    }
    const withdraw = async ({ keys }: { keys: string[] }, id: number) => {
      const { status } = await fetch(`${replica.service.origin}/api/v1/rates/withdrawals`, {
        method: 'POST',
        headers: { 'x-api-key': keys[0]!, 'content-type': 'application/json' },
        body: JSON.stringify({ observations: [id], reason: 'wrong' }),
      })
      return status
    }
    const [own, other] = [await of('retail-a'), await of('p2p-a')]
    expect(await withdraw(treasury, own)).toBe(403)
    expect([await withdraw(bound, own), await withdraw(bound, other)]).toEqual([200, 403])
    expect(await withdraw(admin, other)).toBe(200)
    const left = (await history()).map(({ id }: { id: number }) => id)
    expect(left).not.toContain(own)
    expect(left).not.toContain(other)
    const all = await history('&withdrawn=true')
    const withdrawn = all.filter((row: object) => 'withdrawn' in row)
    expect(withdrawn.map(({ id }: { id: number }) => id).sort()).toEqual([own, other].sort())
    expect(all.filter((row: object) => 'recorded_by' in row)).toEqual([])
    await replica.service.stop()
    await Promise.all([database.close(), plain.close()])
  },
  TEST_MS_MAX,
)
