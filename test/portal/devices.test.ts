import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LIMITS } from '~/service/attempts.ts'
import { otherHandle } from '../store/samples.ts'
import { type Member, PASSWORD, PeopleWorld, pathOf } from './people-world.ts'
import { type Seen, Visitor } from './visitor.ts'

const OTHER = 'a new pair of shoes'
const COOKIE = 'corridor.devices'

let world: PeopleWorld
let attempts = 0

beforeAll(async () => {
  world = await PeopleWorld.start()
})
afterAll(() => world.stop())

const signIn = (visitor: Visitor, email: string, password = PASSWORD): Promise<Seen> =>
  visitor.submit('/sign-in', { email, password })

const signedOut = (visitor: Visitor) => visitor.submit('/developer', {}, '/sign-out')

/**
 * Sends attempts from new addresses until another one is refused. Most of them are counted without
 * a request, which takes a tenth of a second each.
 */
async function besieged(path: '/sign-in' | '/forgotten', email: string): Promise<void> {
  const max = LIMITS[path === '/sign-in' ? 'sign-in' : 'reset'].perAccount
  const anonymous = world.visitor()
  const form_token = await anonymous.token(path)
  const ask = async () => {
    const headers = { 'x-forwarded-for': `203.0.${(++attempts >> 8) & 255}.${attempts & 255}` }
    const fields = { form_token, email, password: 'what others try' }
    return (await anonymous.post(path, fields, headers)).status
  }
  const taken = path === '/sign-in' ? 400 : 303
  const countsBefore = await countsOf()
  expect([await ask(), await ask()]).toEqual([taken, taken])
  const rows = await countsOf()
  const grown = [...rows].filter(([scope, count]) => count === (countsBefore.get(scope) ?? 0) + 2)
  expect(grown).toHaveLength(1)
  await world.database.sql`update portal_attempts set count = ${max - 1}
    where scope = ${grown[0]![0]} and ends_at > ${new Date(world.clock.now()).toISOString()}`
  expect([await ask(), await ask()]).toEqual([taken, 429])
}

/** The number of counted attempts in the current windows. */
async function countsOf(): Promise<Map<string, number>> {
  const rows = await world.database.sql<{ scope: string; count: number }[]>`
    select scope, count from portal_attempts
    where ends_at > ${new Date(world.clock.now()).toISOString()}`
  return new Map(rows.map(({ scope, count }) => [scope, count]))
}

/** A signed-out member with a known browser, at the start of fresh windows. */
async function atHome(): Promise<Member> {
  const member = await world.member()
  await signedOut(member.visitor)
  world.clock.advance(3_600_000)
  return member
}

describe('a browser that signed in before', () => {
  test('is not shut out by anonymous callers, who shut out every other browser', async () => {
    const { email, visitor } = await atHome()
    await besieged('/sign-in', email)
    expect((await signIn(world.visitor(), email)).status).toBe(429)
    expect((await signIn(visitor, email)).location).toBe('/developer')
  })

  test('gets its link by email, however many anonymous callers requested one', async () => {
    const { email, visitor } = await atHome()
    await besieged('/forgotten', email)
    expect((await world.visitor().submit('/forgotten', { email })).status).toBe(429)
    const before = world.linksTo(email).length
    expect((await visitor.submit('/forgotten', { email })).location).toBe('/mailed')
    expect(world.linksTo(email)).toHaveLength(before + 1)
  })

  test('returns 429 after ten wrong passwords of its own, from any address, and for its links likewise', async () => {
    const { email, visitor } = await atHome()
    const from = (i: number) => {
      visitor.address = `192.0.2.${i}`
      return visitor
    }
    for (let i = 0; i < 10; i++) expect((await signIn(from(i), email, OTHER)).status).toBe(400)
    expect((await signIn(from(10), email)).status).toBe(429)
    expect((await signIn(world.visitor(), email)).location).toBe('/developer')
    for (let i = 0; i < 5; i++)
      expect((await from(i).submit('/forgotten', { email })).location).toBe('/mailed')
    expect((await from(5).submit('/forgotten', { email })).status).toBe(429)
  })

  test('is unknown to other accounts, and to its own without the cookie', async () => {
    const { email } = await atHome()
    const foreign = await atHome()
    await besieged('/sign-in', email)
    expect((await signIn(foreign.visitor, email)).status).toBe(429)
    const again = world.visitor()
    again.cookies.set(COOKIE, foreign.visitor.cookies.get(COOKIE)!)
    expect((await signIn(again, email)).status).toBe(429)
    expect((await signIn(again, foreign.email)).location).toBe('/developer')
  })

  test('stays known to all accounts that share it', async () => {
    const one = await atHome()
    const other = await atHome()
    expect((await signIn(one.visitor, other.email)).location).toBe('/developer')
    await signedOut(one.visitor)
    await besieged('/sign-in', one.email)
    await besieged('/sign-in', other.email)
    for (const email of [one.email, other.email]) {
      expect((await signIn(one.visitor, email)).location).toBe('/developer')
      await signedOut(one.visitor)
    }
  })

  test('is forgotten with a new password, and the browser that set it becomes known', async () => {
    const { email, visitor } = await atHome()
    const second = world.visitor()
    await second.submit('/forgotten', { email })
    const set = await second.submit(pathOf(world.linksTo(email).at(-1)!), { password: OTHER })
    expect(set.location).toBe('/sign-in?said=reset')
    await besieged('/sign-in', email)
    expect((await signIn(visitor, email, OTHER)).status).toBe(429)
    expect((await signIn(second, email, OTHER)).location).toBe('/developer')
  })

  test('is known on another replica, and after a restart', async () => {
    const { email, visitor } = await atHome()
    await besieged('/sign-in', email)
    const other = await PeopleWorld.on({ ...world.database, ...otherHandle(world.database) })
    other.clock.advance(world.clock.now() - other.clock.now())
    const there = new Visitor(other.origin)
    expect((await signIn(there, email)).status).toBe(429)
    there.cookies.set(COOKIE, visitor.cookies.get(COOKIE)!)
    expect((await signIn(there, email)).location).toBe('/developer')
    await other.stop()
  })

  test('keeps a cookie that scripts cannot read, for the whole site and no other site', async () => {
    const { email, visitor } = await atHome()
    const { headers } = await signIn(visitor, email)
    const line = headers.getSetCookie().find((each) => each.startsWith(`${COOKIE}=`))!
    expect(line).toMatch(
      /^corridor\.devices=[\w.~-]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(line).not.toContain(email)
    expect((await visitor.get('/developer')).headers.getSetCookie()).toEqual([])
  })

  test('gets no cookie by a wrong password, a stale link or a sign-up', async () => {
    const { email, link } = await atHome()
    const anonymous = world.visitor()
    await signIn(anonymous, email, OTHER)
    await anonymous.submit('/sign-up', { email, password: OTHER })
    await anonymous.submit(link, { password: OTHER })
    await anonymous.submit('/reset?token=made-up', { password: OTHER })
    expect([...anonymous.cookies.keys()]).toEqual(['corridor.visitor'])
  })
})
