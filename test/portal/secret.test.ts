import { afterAll, beforeAll, expect, test } from 'bun:test'
import { corridorWith } from '../support/command.ts'
import { PASSWORD, PeopleWorld } from './people-world.ts'
import { withApp } from './profile/authenticator.ts'
import { Visitor } from './visitor.ts'

const OLD = 'the-first-secret-of-this-test-0123456789'
const NEW = 'another-secret-of-this-test-9876543210'

let world: PeopleWorld
let renewed: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start({ AUTH_SECRET: OLD })
  renewed = await PeopleWorld.on(world.database, { AUTH_SECRET: NEW })
})

afterAll(async () => {
  await world.service.stop()
  await renewed.service.stop()
})

test('a new AUTH_SECRET ends every session, and leaves passwords and keys as they are', async () => {
  const { email, visitor, key } = await world.member()
  const moved = new Visitor(renewed.origin)
  for (const [name, value] of visitor.cookies) moved.cookies.set(name, value)
  expect((await visitor.get('/developer')).status).toBe(200)
  expect((await moved.get('/developer')).status).toBe(303)
  expect(await renewed.asked(key!)).toBe(200)
  await moved.submit('/sign-in', { email, password: PASSWORD })
  expect((await moved.get('/developer')).status).toBe(200)
})

test('a new AUTH_SECRET leaves apps unreadable, and the second step says whom to ask', async () => {
  const { email, visitor } = await world.member()
  const { app, codes } = await withApp(visitor)
  const moved = new Visitor(renewed.origin)
  const step = await moved.submit('/sign-in', { email, password: PASSWORD })
  expect(step.location).toBe('/sign-in/second-step')
  for (const code of [app.next(), codes[0]!]) {
    const entered = await moved.submit('/sign-in/second-step', { code })
    expect(entered.status).toBe(400)
    expect(entered.html).toContain('the service’s secret was changed after it was set up')
  }
})

test('a new AUTH_SECRET refuses signed responses with the way on, until the log has a new key', async () => {
  const { key } = await world.member()
  const signed = async ({ origin }: PeopleWorld) => {
    const headers = { 'x-api-key': key!, 'accept-signature': 'sig=()' }
    return fetch(`${origin}/api/v1/currencies`, { headers })
  }
  expect((await signed(world)).status).toBe(200)
  const refused = await signed(renewed)
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('retry without Accept-Signature')
  const env = { DATABASE_URL: world.database.url, AUTH_SECRET: NEW }
  const added = await corridorWith(env, ['log', 'key', '--rotate'])
  expect(added).toMatchObject({ status: 1, said: [expect.stringContaining('--rotate --retire')] })
  const replaced = await corridorWith(env, ['log', 'key', '--rotate', '--retire'])
  expect(replaced).toMatchObject({ status: 0, said: [] })
  expect(replaced.stdout.trim().split('\n')).toHaveLength(1)
  expect((await signed(renewed)).status).toBe(200)
})
