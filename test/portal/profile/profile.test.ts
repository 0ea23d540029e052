import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { formsIn, type Visitor } from '../visitor.ts'

const PROFILE = '/developer/profile'
const OTHER = 'a new pair of shoes'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
})
afterAll(() => world.stop())

const isInside = async (visitor: Visitor) => (await visitor.get('/developer')).status === 200

async function signedIn(email: string, { password = PASSWORD, userAgent = '' } = {}) {
  const visitor = world.visitor()
  const form_token = await visitor.token('/sign-in')
  const headers: Record<string, string> = userAgent ? { 'user-agent': userAgent } : {}
  const seen = await visitor.post('/sign-in', { form_token, email, password }, headers)
  return { visitor, seen }
}

const rowsIn = (html: string): string[] =>
  [...html.matchAll(/<tr>(?:(?!<tr>).)*?<\/tr>/gs)].map(([row]) => row).slice(1)

const endForms = (html: string) =>
  formsIn(html).filter(({ action, hidden }) => action === `${PROFILE}/session` && hidden.id)

describe('sessions', () => {
  test('are listed with device and time, the last used first, and this one is marked', async () => {
    const { email, visitor } = await world.member()
    await signedIn(email, { userAgent: FIREFOX })
    const { html } = await visitor.get(PROFILE)
    const rows = rowsIn(html)
    expect(rows).toHaveLength(2)
    expect(html).toContain('Firefox on Linux')
    expect(rows.filter((row) => row.includes('this one'))).toHaveLength(1)
    for (const row of rows) expect(row.match(/<time dateTime="[^"]+Z"/gi)).toHaveLength(2)
  })

  test('store no address', async () => {
    const { email } = await world.member()
    await signedIn(email)
    const rows = await world.database.sql`
      select coalesce(ip_address, '') as ip from portal_sessions
      join portal_users u on u.id = user_id where u.email = ${email}`
    expect(rows.map(({ ip }) => ip)).toEqual(['', ''])
  })

  test('end one by one', async () => {
    const { email, visitor } = await world.member()
    const { visitor: lost } = await signedIn(email, { userAgent: FIREFOX })
    const { html } = await visitor.get(PROFILE)
    const form = endForms(html).find((_, i) => rowsIn(html)[i]!.includes('Firefox'))!
    const ended = await visitor.post(form.action, form.hidden)
    expect(ended.location).toBe(`${PROFILE}?said=ended`)
    expect([await isInside(visitor), await isInside(lost)]).toEqual([true, false])
    const own = endForms((await visitor.get(PROFILE)).html)[0]!
    expect((await visitor.post(own.action, own.hidden)).location).toBe('/sign-in')
    expect(await isInside(visitor)).toBe(false)
  })

  test('end all at once, this one too', async () => {
    const { email, visitor } = await world.member()
    const { visitor: other } = await signedIn(email)
    const { html } = await visitor.get(PROFILE)
    const all = formsIn(html).find(
      ({ action, hidden }) => action === `${PROFILE}/session` && !hidden.id,
    )!
    expect((await visitor.post(all.action, all.hidden)).location).toBe('/sign-in')
    expect([await isInside(visitor), await isInside(other)]).toEqual([false, false])
  })

  test('of another person are not ended by their id', async () => {
    const [mine, theirs] = [await world.member(), await world.member()]
    const { html } = await theirs.visitor.get(PROFILE)
    const { id } = endForms(html)[0]!.hidden
    const form_token = await mine.visitor.token(PROFILE)
    await mine.visitor.post(`${PROFILE}/session`, { form_token, id: id! })
    expect(await isInside(theirs.visitor)).toBe(true)
  })
})

describe('an idle session', () => {
  test('ends after a day without use, and lasts while it is used', async () => {
    const idle = await PeopleWorld.start()
    const { visitor, email } = await idle.member()
    for (let hours = 0; hours < 60; hours += 20) {
      idle.clock.advance(20 * HOUR_MS)
      expect((await visitor.get('/developer')).status).toBe(200)
    }
    idle.clock.advance(DAY_MS - MINUTE_MS)
    expect((await visitor.get('/developer')).status).toBe(200)
    idle.clock.advance(DAY_MS)
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
    const left = await idle.database.sql`
      select 1 from portal_sessions s join portal_users u on u.id = s.user_id
      where u.email = ${email}`
    expect(left).toHaveLength(0)
    await idle.stop()
  })

  test('is measured by SESSION_IDLE_MAX', async () => {
    const idle = await PeopleWorld.start({ SESSION_IDLE_MAX: '30m' })
    const { visitor } = await idle.member()
    idle.clock.advance(29 * MINUTE_MS)
    expect((await visitor.get('/developer')).status).toBe(200)
    idle.clock.advance(31 * MINUTE_MS)
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
    expect((await visitor.get('/privacy')).html).toContain('30 minutes without use')
    await idle.stop()
  })
})

describe('the password', () => {
  const change = (visitor: Visitor, current: string, password: string) =>
    visitor.submit(PROFILE, { current, password }, `${PROFILE}/password`)

  test('is changed by the present one, and ends every other session and every link', async () => {
    const { email, visitor } = await world.member()
    const { visitor: other } = await signedIn(email)
    await other.submit('/forgotten', { email })
    const link = pathOf(world.linksTo(email).at(-1)!)
    const { location } = await change(visitor, PASSWORD, OTHER)
    expect(location).toBe(`${PROFILE}?said=password`)
    expect([await isInside(visitor), await isInside(other)]).toEqual([true, false])
    expect((await signedIn(email)).seen.status).toBe(400)
    expect((await signedIn(email, { password: OTHER })).seen.status).toBe(303)
    expect((await other.submit(link, { password: 'yet another pair' })).status).toBe(410)
  })

  test('returns 400 to a wrong present one, and to a new one that leaked or is too short', async () => {
    const { email, visitor } = await world.member()
    const wrong = await change(visitor, 'not this one', OTHER)
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('The password is wrong.')
    for (const password of ['short', '1qaz2wsx3edc'])
      expect((await change(visitor, PASSWORD, password)).status).toBe(400)
    expect((await signedIn(email)).seen.status).toBe(303)
  })

  test('returns 429 to a caller who guesses it in an open session', async () => {
    const { visitor } = await world.member()
    const form_token = await visitor.token(PROFILE)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) {
      const fields = { form_token, current: `guess ${i}`, password: OTHER }
      statuses.push((await visitor.post(`${PROFILE}/password`, fields)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })
})

describe('the email', () => {
  const ask = (visitor: Visitor, email: string, password = PASSWORD) =>
    visitor.submit(PROFILE, { email, 'email-password': password }, `${PROFILE}/address`)

  test('is changed by a link to the new one, opened while signed in', async () => {
    const { email, visitor, key } = await world.member()
    const account = await world.accountOf({ email })
    const to = newEmail()
    expect((await ask(visitor, to.toUpperCase())).location).toBe(`${PROFILE}?said=mailed`)
    expect((await signedIn(email)).seen.status).toBe(303)
    const link = pathOf(world.linksTo(to).at(-1)!)
    const anonymous = world.visitor()
    expect((await anonymous.get(link)).location).toBe(
      `/sign-in?${new URLSearchParams({ next: link })}`,
    )
    expect((await visitor.submit(link, {})).location).toBe(`${PROFILE}?said=address`)
    expect((await visitor.get('/developer')).html).toContain(to)
    expect(await world.accountOf({ email: to })).toMatchObject({ id: account.id })
    expect((await signedIn(email)).seen.status).toBe(400)
    expect((await signedIn(to)).seen.status).toBe(303)
    expect(await world.asked(key!)).toBe(200)
    expect((await visitor.submit(link, {})).status).toBe(410)
  })

  test('is not changed by a link of another person, or one that was tampered with', async () => {
    const [mine, theirs] = [await world.member(), await world.member()]
    const to = newEmail()
    await ask(mine.visitor, to)
    const link = pathOf(world.linksTo(to).at(-1)!)
    expect((await theirs.visitor.submit(link, {})).status).toBe(410)
    const [, secret] = new URL(link, world.origin).searchParams.get('token')!.split('.')
    const token = `${Buffer.from(newEmail()).toString('base64url')}.${secret}`
    expect((await mine.visitor.submit(`/confirm-address?token=${token}`, {})).status).toBe(410)
    for (const odd of ['', 'x', 'x.y', '.']) {
      const { status } = await mine.visitor.get(`/confirm-address?token=${odd}`)
      expect([odd, status]).toEqual([odd, 410])
    }
    expect((await mine.visitor.submit(link, {})).status).toBe(303)
  })

  test('is not changed by a link after an hour, or after a new password', async () => {
    const { visitor } = await world.member()
    const to = newEmail()
    await ask(visitor, to)
    const link = pathOf(world.linksTo(to).at(-1)!)
    await visitor.submit(PROFILE, { current: PASSWORD, password: OTHER }, `${PROFILE}/password`)
    expect((await visitor.submit(link, {})).status).toBe(410)
    await ask(visitor, to, OTHER)
    const later = pathOf(world.linksTo(to).at(-1)!)
    await world.database.sql`update portal_verifications set expires_at = now() - interval '1 hour'`
    expect((await visitor.submit(later, {})).status).toBe(410)
  })

  test('of another person gets the same response and no email, also if it is taken later', async () => {
    const [mine, theirs] = [await world.member(), await world.member()]
    const mails = () => world.linksTo(theirs.email).length
    const before = mails()
    expect((await ask(mine.visitor, theirs.email)).location).toBe(`${PROFILE}?said=mailed`)
    expect(mails()).toBe(before)
    const [first, second] = [await world.member(), await world.member()]
    const to = newEmail()
    await ask(first.visitor, to)
    await ask(second.visitor, to)
    const [one, two] = world.linksTo(to).map(pathOf)
    expect((await first.visitor.submit(one!, {})).status).toBe(303)
    expect((await second.visitor.submit(two!, {})).status).toBe(410)
    expect((await second.visitor.get('/developer')).html).toContain(second.email)
  })

  test('returns 400 to a wrong password and to an invalid email', async () => {
    const { visitor } = await world.member()
    expect((await ask(visitor, newEmail(), 'not this one')).status).toBe(400)
    expect((await ask(visitor, 'nobody')).status).toBe(400)
  })

  test('returns 429 to a person who sends links to one email again and again', async () => {
    const { visitor } = await world.member()
    const to = newEmail()
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await ask(visitor, to)).status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
  })
})

test('the developer area leads to the profile', async () => {
  const { visitor } = await world.member()
  expect((await visitor.get('/developer')).html).toContain(`href="${PROFILE}"`)
})

test('no page of the profile opens without signing in', async () => {
  const visitor = world.visitor()
  for (const path of [PROFILE, `${PROFILE}/data.json`, `${PROFILE}/delete`])
    expect([path, (await visitor.get(path)).location]).toEqual([path, '/sign-in'])
})

test('/privacy says what is stored and for how long, and every page leads there', async () => {
  const { html, status } = await world.visitor().get('/privacy')
  expect(status).toBe(200)
  for (const text of ['E-mail address', 'e-mail address', '24 hours without use', '400 days'])
    expect(html.toLowerCase()).toContain(text.toLowerCase())
  expect((await world.visitor().get('/')).html).toContain('href="/privacy"')
  expect((await world.visitor().get('/sign-up')).html).toContain('href="/privacy"')
})
