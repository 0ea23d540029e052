import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { PageLimits, SESSION_SHARES } from '~/portal/page-limits.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { type Member, PeopleWorld } from './people-world.ts'

setDefaultTimeout(TEST_MS_MAX)

const PAGE = '/privacy'
const PAGES_MAX = 3

let world: PeopleWorld
let members: Member[]
beforeAll(async () => {
  world = await PeopleWorld.start({ BOARD_REQUESTS_PER_MINUTE: String(PAGES_MAX) })
  members = [await world.member(), await world.member()]
  await members[0]!.visitor.get(PAGE)
})
afterAll(() => world?.stop())

/** The statuses of one page more than the limit allows, from an address that all share. */
async function statusesOf(visitor: Member['visitor']): Promise<number[]> {
  visitor.address = '203.0.113.7'
  const statuses: number[] = []
  for (let i = 0; i <= PAGES_MAX; i++) statuses.push((await visitor.get(PAGE)).status)
  return statuses
}

test('signed-in people behind one address have pages of their own, and anonymous visitors share', async () => {
  const toTheLimit = [...Array(PAGES_MAX).fill(200), 429]
  expect(await statusesOf(world.visitor())).toEqual(toTheLimit)
  for (const { visitor } of members) expect(await statusesOf(visitor)).toEqual(toTheLimit)
  expect((await statusesOf(world.visitor()))[0]).toBe(429)
})

test.each(['x', 'x.y', '.', '%', 'x.'.repeat(2000)])(
  'a session cookie %p that is not ours counts as no session',
  async (value) => {
    const visitor = world.visitor()
    visitor.cookies.set('corridor.session_token', value)
    expect(await statusesOf(visitor)).toEqual(Array(PAGES_MAX + 1).fill(429))
  },
)

test('the sessions of one address are bounded together', () => {
  let count = 0
  const limits = new PageLimits({
    requestsMax: 1,
    addressOf: () => '203.0.113.7',
    sessionOf: () => `session ${count++}`,
  })
  const request = new Request('http://localhost/')
  for (let i = 0; i < SESSION_SHARES; i++) expect(limits.take(request, 0)).toBe(0)
  expect(limits.take(request, 0)).toBeGreaterThan(0)
})
