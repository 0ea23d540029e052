import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isWellFormedKey } from '~/domain/api-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { keyIn, newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import type { Visitor } from '../visitor.ts'

const OTHER = 'a new pair of shoes'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
})
afterAll(() => world.stop())

const signUp = (visitor: Visitor, email: string, password = PASSWORD) =>
  visitor.submit('/sign-up', { email, password })

const signIn = (visitor: Visitor, email: string, password = PASSWORD) =>
  visitor.submit('/sign-in', { email, password })

const lastLink = (email: string): string => pathOf(world.linksTo(email).at(-1)!)

describe('sign-up', () => {
  test('leads by the emailed link and the password to an account and its first key', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    expect(await signUp(visitor, email)).toMatchObject({ status: 303, location: '/mailed' })
    const { html, status } = await visitor.submit(lastLink(email), { password: PASSWORD })
    expect(status).toBe(200)
    const key = keyIn(html)!
    expect(isWellFormedKey(key)).toBe(true)
    expect(await world.asked(key)).toBe(200)
    const [account] = (await createAccountStore(world.database).list()).filter(
      (each) => each.email === email,
    )
    expect(account).toMatchObject({ plan: 'free', role: 'member', keyCount: 1 })
    expect((await visitor.get('/developer')).html).not.toContain(key)
  })

  test('says that the link is in the log if no email is set up', async () => {
    const { html } = await world.visitor().get('/mailed')
    expect(html).toContain('log of the service')
  })

  test('leads to the keys, with the reason, when the page with the first key is reloaded', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    await signUp(visitor, email)
    const link = lastLink(email)
    const form_token = await visitor.token(link)
    const token = new URL(link, world.origin).searchParams.get('token')!
    const fields = { form_token, token, password: PASSWORD }
    expect(keyIn((await visitor.post('/confirm', fields)).html)).toBeTruthy()
    const again = await visitor.post('/confirm', fields)
    expect([again.status, again.location]).toEqual([303, '/developer?said=inside#keys-title'])
    const { html } = await visitor.get('/developer?said=inside')
    expect(html).toContain('A key is shown only once')
    for (const said of ['constructor', 'nonsense', ''])
      expect((await visitor.get(`/developer?said=${said}`)).html).not.toContain('notice-good')
  })

  test('is offered at the sign-in, with its benefits', async () => {
    const { html } = await world.visitor().get('/sign-in')
    expect(html).toContain('No key yet? <a href="/sign-up">Get one free</a>: 50 calls a day.')
  })

  test('returns 400 and marks the field that is wrong', async () => {
    const visitor = world.visitor()
    const address = (await signUp(visitor, 'nobody')).html
    expect(address).toMatch(/<input[^>]* aria-describedby="email-error" aria-invalid="true"/)
    const password = (await signUp(visitor, newEmail(), 'short')).html
    expect(password).toMatch(
      /<input[^>]* aria-describedby="password-hint password-error" aria-invalid="true"/,
    )
    expect((await visitor.submit('/forgotten', { email: 'nobody' })).html).toContain('aria-invalid')
    expect((await signIn(visitor, newEmail())).html).toContain('id="password-error"')
  })

  test('returns 400 to an invalid email and to a password too short or too long, and sends no email', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    expect((await signUp(visitor, 'nobody')).status).toBe(400)
    expect((await signUp(visitor, email, 'x'.repeat(9))).status).toBe(400)
    expect((await signUp(visitor, email, 'x'.repeat(129))).status).toBe(400)
    expect(world.linksTo(email)).toEqual([])
  })

  test('returns 400 to a password that is the email or among the commonest, and sends no email', async () => {
    const email = `ada-${crypto.randomUUID()}@example.com`
    const visitor = world.visitor()
    for (const password of [email, email.toUpperCase(), email.split('@')[0]!, '1234567890']) {
      const { status, html } = await signUp(visitor, email, password)
      expect(status).toBe(400)
      expect(html).toContain('Choose another, a few words for example.')
    }
    expect(world.linksTo(email)).toEqual([])
  })

  test('keeps a key out of every log, URL and table', async () => {
    const { key } = await world.member()
    expect(JSON.stringify(world.log.lines)).not.toContain(key!)
    const tables = await world.database.sql`select tablename from pg_tables
      where schemaname = 'public'`
    for (const { tablename } of tables) {
      const rows = await world.database.sql`select t::text from ${world.database.sql(tablename)} t`
      expect(JSON.stringify(rows)).not.toContain(key!)
    }
  })
})

describe('the secrecy of who has an account', () => {
  test('a sign-up gets the same response for a known email as for an unknown one', async () => {
    const { email: known } = await world.member()
    const visitors = [world.visitor(), world.visitor()] as const
    const tokens = await Promise.all(visitors.map((visitor) => visitor.token('/sign-up')))
    const answerTo = async (i: 0 | 1, email: string) => {
      const { status, location, html } = await visitors[i].post('/sign-up', {
        form_token: tokens[i]!,
        email,
        password: PASSWORD,
      })
      return { status, location, html }
    }
    expect(await answerTo(0, known)).toEqual(await answerTo(1, newEmail()))
  })

  test('a forgotten password and a failed sign-in get the same response too', async () => {
    const { email: known } = await world.member()
    const forgotten = async (email: string) => {
      const { status, location, html } = await world.visitor().submit('/forgotten', { email })
      return { status, location, html }
    }
    expect(await forgotten(known)).toEqual(await forgotten(newEmail()))
    const failed = async (email: string) => {
      const { status, html } = await signIn(world.visitor(), email, OTHER)
      return { status, html: html.replaceAll(email, 'E').replace(/value="[\w-]{32}"/g, '') }
    }
    const answer = await failed(known)
    expect(answer).toEqual(await failed(newEmail()))
    expect(answer.html).toContain('The address or the password is wrong.')
  })
})

describe('another person with your email address', () => {
  test('does not get in with the password alone or with the email alone', async () => {
    const email = newEmail()
    const other = world.visitor()
    await signUp(other, email, 'the password of another')
    const owner = world.visitor()
    const mailOnly = await owner.submit(lastLink(email), { password: PASSWORD })
    expect(mailOnly.status).toBe(400)
    expect(keyIn(mailOnly.html)).toBeNull()
    const passwordOnly = await signIn(other, email, 'the password of another')
    expect(passwordOnly.location).toBe('/mailed')
    expect((await other.get('/developer')).location).toBe('/sign-in')
    expect((await createAccountStore(world.database).list()).map((one) => one.email)).not.toContain(
      email,
    )
  })

  test('loses the account to the person who reads the email and chooses a password', async () => {
    const email = newEmail()
    const other = world.visitor()
    await signUp(other, email, 'the password of another')
    const owner = world.visitor()
    await signUp(owner, email)
    const reply = await owner.submit(lastLink(email), { password: PASSWORD })
    expect(reply.location).toBe('/sign-in?said=reset')
    expect(keyIn((await signIn(owner, email)).html)).not.toBeNull()
    expect((await signIn(other, email, 'the password of another')).status).toBe(400)
  })

  test('does not get an account created on the command line before confirming', async () => {
    const email = newEmail()
    const keyHash = 'c'.repeat(64)
    const made = { email, plan: 'enterprise', role: 'admin', keyName: 'k', keyHash } as const
    const { account } = await createAccountStore(world.database).create(made)
    const other = world.visitor()
    await signUp(other, email)
    await signIn(other, email)
    expect((await other.get('/developer')).location).toBe('/sign-in')
    expect((await other.get('/operator')).status).toBe(404)
    const entered = await other.submit(lastLink(email), { password: PASSWORD })
    expect(entered).toMatchObject({ status: 303, location: '/developer' })
    expect((await other.get('/developer')).html).toContain('enterprise')
    const { keys } = await createAccountStore(world.database).loadAccount(account.id)
    expect(keys).toHaveLength(1)
  })
})

describe('links', () => {
  test('are refused when used, forged or broken, without a hint to try others', async () => {
    const { email, link, visitor } = await world.member()
    await visitor.submit('/developer', {}, '/sign-out')
    const forged = link.replace(/.{8}$/, 'AAAAAAAA')
    const other = newEmail()
    await signUp(visitor, other)
    const [head, , signature] = lastLink(other).split('.')
    const payload = Buffer.from(JSON.stringify({ email })).toString('base64url')
    for (const path of [
      forged,
      `${head}.${payload}.${signature}`,
      '/confirm?token=x',
      '/confirm',
    ]) {
      const { html, status } = await visitor.get(path)
      if (status === 410) continue
      expect(html).toContain('Confirm')
      const reply = await visitor.submit(path, { password: OTHER })
      expect([400, 410]).toContain(reply.status)
      expect((await visitor.get('/developer')).location).toBe('/sign-in')
    }
  })

  test('confirm nothing when expired, and another is sent to a person who knows the password', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    await signUp(visitor, email)
    const forged = lastLink(email).replace(/.{8}$/, 'AAAAAAAA')
    const before = world.linksTo(email).length
    expect((await visitor.submit(forged, { password: PASSWORD })).status).toBe(410)
    expect(world.linksTo(email).length).toBe(before + 1)
    expect(keyIn((await visitor.submit(lastLink(email), { password: PASSWORD })).html)).toBeTruthy()
  })

  test('name the listening address, whatever host a request names', async () => {
    const { email, visitor } = await world.member()
    const form_token = await visitor.token('/forgotten')
    const headers = { host: 'evil.example', origin: 'http://evil.example', 'x-forwarded-host': 'e' }
    await visitor.post('/forgotten', { form_token, email }, headers)
    for (const link of world.linksTo(email)) expect(new URL(link).origin).toBe(world.origin)
  })

  test('return 410 when used for a new password, 400 to an unacceptable password', async () => {
    const { email, visitor } = await world.member()
    await visitor.submit('/forgotten', { email })
    const link = lastLink(email)
    for (const password of ['short', email, email.split('@')[0]!, 'Password123'])
      expect((await visitor.submit(link, { password })).status).toBe(400)
    expect((await visitor.submit(link, { password: OTHER })).location).toBe('/sign-in?said=reset')
    expect((await visitor.submit(link, { password: PASSWORD })).status).toBe(410)
  })
})

describe('a new password', () => {
  test('ends the links that were emailed before and after the one that set it', async () => {
    const { email, visitor } = await world.member()
    for (let i = 0; i < 3; i++) await visitor.submit('/forgotten', { email })
    const [older, used, newer] = world.linksTo(email).slice(-3).map(pathOf)
    const set = await visitor.submit(used!, { password: OTHER })
    expect(set.location).toBe('/sign-in?said=reset')
    for (const link of [older!, newer!])
      expect((await visitor.submit(link, { password: PASSWORD })).status).toBe(410)
    expect((await signIn(visitor, email, OTHER)).location).toBe('/developer')
  })
})

describe('sessions', () => {
  test('are ended everywhere by a new password', async () => {
    const { email, visitor } = await world.member()
    const second = world.visitor()
    expect((await signIn(second, email)).location).toBe('/developer')
    const third = world.visitor()
    await third.submit('/forgotten', { email })
    await third.submit(lastLink(email), { password: OTHER })
    for (const each of [visitor, second])
      expect((await each.get('/developer')).location).toBe('/sign-in')
    expect((await signIn(third, email, OTHER)).location).toBe('/developer')
  })

  test('are replaced by signing in, and ended by signing out', async () => {
    const { email, visitor } = await world.member()
    const first = new Map(visitor.cookies)
    const form_token = await visitor.token('/developer')
    expect((await signInAgain(visitor, { form_token, email })).location).toBe('/developer')
    expect(visitor.cookies).not.toEqual(first)
    const old = world.visitor()
    for (const [name, value] of first) old.cookies.set(name, value)
    expect((await old.get('/developer')).location).toBe('/sign-in')
    await visitor.submit('/developer', {}, '/sign-out')
    expect([...visitor.cookies.keys()]).not.toContain('corridor.session_token')
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
  })

  const signInAgain = (visitor: Visitor, fields: Record<string, string>) =>
    visitor.post('/sign-in', { password: PASSWORD, ...fields })

  test('are at most ten for a person, and one more ends the oldest', async () => {
    const { email, visitor } = await world.member()
    const others = Array.from({ length: 10 }, () => world.visitor())
    for (const each of others) await signIn(each, email)
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
    expect((await others[0]!.get('/developer')).status).toBe(200)
  })

  test('are not started by a forged cookie', async () => {
    const visitor = world.visitor()
    visitor.cookies.set('corridor.session_token', 'made-up.signature')
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
  })
})

describe('attempts', () => {
  test('return 429 after ten wrong passwords from one address, until the window ends', async () => {
    const { email } = await world.member()
    world.clock.advance(3_600_000)
    const visitor = world.visitor()
    for (let i = 0; i < 10; i++) expect((await signIn(visitor, email, OTHER)).status).toBe(400)
    const refused = await signIn(visitor, email)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    world.clock.advance(15 * 60_000)
    expect((await signIn(visitor, email)).location).toBe('/developer')
  })

  test('of eleven callers at eleven addresses do not shut anyone out', async () => {
    const { email } = await world.member()
    world.clock.advance(3_600_000)
    for (let i = 0; i < 11; i++)
      expect((await signIn(world.visitor(), email, OTHER)).status).toBe(400)
    expect((await signIn(world.visitor(), email)).location).toBe('/developer')
  })

  test('return 429 also for passwords tried through forged links', async () => {
    const { email, link } = await world.member()
    world.clock.advance(3_600_000)
    const [head, , signature] = link.split('.')
    const payload = Buffer.from(JSON.stringify({ email })).toString('base64url')
    const invented = `${head}.${payload}.${signature}`
    const visitor = world.visitor()
    const confirm = (password: string) => visitor.submit(invented, { password })
    for (let i = 0; i < 5; i++) {
      expect((await signIn(visitor, email, OTHER)).status).toBe(400)
      expect((await confirm(OTHER)).status).toBe(400)
    }
    expect((await confirm(PASSWORD)).status).toBe(429)
    expect((await signIn(visitor, email)).status).toBe(429)
  })

  test('return 429 also for an email without an account', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    for (let i = 0; i < 10; i++) expect((await signIn(visitor, email, OTHER)).status).toBe(400)
    expect((await signIn(visitor, email, OTHER)).status).toBe(429)
  })

  test('return 429 to a caller that tries many accounts from one address, and not to others', async () => {
    const visitor = world.visitor()
    const tried: number[] = []
    for (let i = 0; i < 45; i++) tried.push((await signIn(visitor, newEmail())).status)
    expect(tried.filter((status) => status === 400)).toHaveLength(40)
    expect(tried.filter((status) => status === 429)).toHaveLength(5)
    expect((await signIn(world.visitor(), newEmail())).status).toBe(400)
  })

  test('return 429 to the sixth email for an account in an hour that one address requests', async () => {
    const { email } = await world.member()
    world.clock.advance(3_600_000)
    const visitor = world.visitor()
    for (let i = 0; i < 5; i++)
      expect((await visitor.submit('/forgotten', { email })).location).toBe('/mailed')
    expect((await visitor.submit('/forgotten', { email })).status).toBe(429)
    expect((await world.visitor().submit('/forgotten', { email })).location).toBe('/mailed')
  })

  test('return 429 to the sixth link for a person who does not confirm, also by signing in', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    await signUp(visitor, email)
    for (let i = 0; i < 4; i++) expect((await signIn(visitor, email)).location).toBe('/mailed')
    expect((await signIn(visitor, email)).status).toBe(429)
    expect(world.linksTo(email)).toHaveLength(5)
  })

  test('are counted without storing the IP or the email address', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    await signIn(visitor, email)
    const rows = JSON.stringify(await world.database.sql`select * from portal_attempts`)
    expect(rows).not.toContain(email)
    expect(rows).not.toContain(visitor.address)
  })
})
