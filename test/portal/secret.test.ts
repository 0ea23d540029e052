import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PASSWORD, PeopleWorld } from './people-world.ts'
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
