import { expect, test } from 'bun:test'
import { LogKeys } from '~/runtime/evidence/log-keys.ts'
import { freshDatabase } from '../support/postgres.ts'

test('a secret that cannot be read is not reported as another secret', async () => {
  const database = await freshDatabase()
  const keysBy = (secret: () => Promise<string>) =>
    new LogKeys({ config: { logKeys: null }, database, secret })
  const secret = async () => 'the secret of all replicas, which has many characters'
  expect(await keysBy(secret).read()).toHaveLength(1)
  const away = keysBy(() => Promise.reject(new Error('the database is away')))
  await expect(away.read()).rejects.toThrow('the database is away')
  const other = keysBy(async () => 'another secret of all replicas, which has as many')
  await expect(other.read()).rejects.toThrow('was encrypted with another AUTH_SECRET')
  await database.close()
})
