import { expect, test } from 'bun:test'
import { newSecret } from '~/domain/api-key.ts'
import { otherHandle } from '../../store/samples.ts'
import { DatabaseProxy } from '../../support/database-proxy.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { PeopleWorld } from '../people-world.ts'
import { Application, asked, registration } from './application.ts'

test('503 is returned while the database is unreachable, and a known token still works', async () => {
  const database = await freshDatabase()
  const proxy = await DatabaseProxy.to(database.url)
  const url = new URL(database.url)
  url.port = String(proxy.port)
  const beyond = { ...database, url: url.href }
  const world = await PeopleWorld.on({ ...beyond, ...otherHandle(beyond) })
  const { visitor } = await world.member()
  const application = await Application.registered(world)
  const { access_token, refresh_token } = await application.tokens({ visitor })
  expect((await asked(world, access_token)).status).toBe(200)
  proxy.close()
  expect((await asked(world, access_token)).status).toBe(200)
  const unknown = `crt_${newSecret((count) => crypto.getRandomValues(new Uint8Array(count)))}`
  const lookedUp = await asked(world, unknown)
  expect([lookedUp.status, JSON.parse(lookedUp.text).code]).toEqual([503, 'database_unavailable'])
  for (const { status, body, headers } of [
    await application.renew(refresh_token),
    await registration(world, { client_name: 'Agent' }),
  ]) {
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
    expect(headers.get('retry-after')).toBe('5')
  }
  const page = await visitor.get(await application.question())
  expect(page.status).toBe(503)
  expect(world.log.said.at(-1)).toBe('warn: the database cannot be reached')
  await world.stop().catch(() => {})
  await database.close()
}, 120_000)
