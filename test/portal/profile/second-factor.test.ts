import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { removeFactors } from '~/store/portal/factor-store.ts'
import { type Member, PASSWORD, PeopleWorld } from '../people-world.ts'
import { formsIn, type Visitor } from '../visitor.ts'
import { Authenticator, withApp } from './authenticator.ts'

const SETTING_UP = '/developer/second-factor'
const STEP = '/sign-in/second-step'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start({ SECOND_FACTOR_ROLES: 'treasury,admin' })
})
afterAll(() => world.stop())

const signIn = (visitor: Visitor, email: string) =>
  visitor.submit('/sign-in', { email, password: PASSWORD }, '/sign-in')

const isInside = async (visitor: Visitor) => (await visitor.get('/developer')).status === 200

describe('an authenticator app', () => {
  test('is required after the password from then on, and its code signs in', async () => {
    const { email, visitor } = await world.member()
    const { app, codes } = await withApp(visitor)
    expect(codes).toHaveLength(10)
    expect(await isInside(visitor)).toBe(true)
    const other = world.visitor()
    expect(await signIn(other, email)).toMatchObject({ status: 303, location: STEP })
    expect(await isInside(other)).toBe(false)
    const entered = await other.submit(STEP, { code: app.next() })
    expect(entered).toMatchObject({ status: 303, location: '/developer' })
    expect(await isInside(other)).toBe(true)
  })

  test('ends the sessions that had no second step, and not the one that set it up', async () => {
    const { email, visitor } = await world.member()
    const other = world.visitor()
    await signIn(other, email)
    expect(await isInside(other)).toBe(true)
    await withApp(visitor)
    expect([await isInside(visitor), await isInside(other)]).toEqual([true, false])
  })

  test('has codes that work once, on whichever replica and sign-in they were used', async () => {
    const { email, visitor } = await world.member()
    const { app } = await withApp(visitor)
    const code = app.next()
    const [first, second] = [world.visitor(), world.visitor()]
    await signIn(first, email)
    expect((await first.submit(STEP, { code })).status).toBe(303)
    await signIn(second, email)
    const again = await second.submit(STEP, { code })
    expect(again.status).toBe(400)
    expect(again.html).toContain('wrong, or was used already')
    expect(await isInside(second)).toBe(false)
    expect((await second.submit(STEP, { code: app.next() })).status).toBe(303)
  })

  test('is set up with a code that does not sign in', async () => {
    const { email, visitor } = await world.member()
    const begun = await visitor.submit(
      SETTING_UP,
      { 'app-password': PASSWORD },
      `${SETTING_UP}/app`,
    )
    const form = formsIn(begun.html).find(({ action }) => action.endsWith('/confirm'))!
    const key = /<pre id="app-key"><code>([A-Z2-7]+)/.exec(begun.html)![1]!
    const app = new Authenticator(key)
    app.next()
    const code = app.next()
    expect((await visitor.post(form.action, { ...form.hidden, code })).status).toBe(200)
    const other = world.visitor()
    await signIn(other, email)
    expect((await other.submit(STEP, { code })).status).toBe(400)
  })

  test('is not on before a right code was entered, and shows the key again after a wrong one', async () => {
    const { email, visitor } = await world.member()
    const begun = await visitor.submit(
      SETTING_UP,
      { 'app-password': PASSWORD },
      `${SETTING_UP}/app`,
    )
    const key = /<pre id="app-key"><code>([A-Z2-7]+)/.exec(begun.html)![1]!
    expect(begun.html).toContain('<svg')
    const form = formsIn(begun.html).find(({ action }) => action.endsWith('/confirm'))!
    const wrong = await visitor.post(form.action, { ...form.hidden, code: '000000' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain(key)
    const foreign = { ...form.hidden, address: 'javascript:alert(1)', code: '000000' }
    expect((await visitor.post(form.action, foreign)).status).toBe(303)
    expect(await signIn(world.visitor(), email)).toMatchObject({ location: '/developer' })
  })

  test('returns 400 to a wrong password, at each step that requires one', async () => {
    const { visitor } = await world.member()
    const begun = await visitor.submit(SETTING_UP, { 'app-password': 'no' }, `${SETTING_UP}/app`)
    expect(begun.status).toBe(400)
    expect(begun.html).toContain('The password is wrong.')
    await withApp(visitor)
    const codes = { 'codes-password': 'no' }
    const renewed = await visitor.submit(SETTING_UP, codes, `${SETTING_UP}/codes`)
    expect(renewed.status).toBe(400)
    expect((await visitor.submit(`${SETTING_UP}/remove`, { password: 'no' })).status).toBe(400)
  })

  test('is not required any more after the password removed it', async () => {
    const { email, visitor } = await world.member()
    await withApp(visitor)
    const removed = await visitor.submit(`${SETTING_UP}/remove`, { password: PASSWORD })
    expect(removed.location).toBe(`${SETTING_UP}?said=removed`)
    expect(await signIn(world.visitor(), email)).toMatchObject({ location: '/developer' })
  })

  test('keeps its key and recovery codes out of every table', async () => {
    const { visitor } = await world.member()
    const { key, codes } = await withApp(visitor)
    const rows = await world.database.sql`select t::text from portal_two_factors t`
    const text = JSON.stringify(rows)
    for (const secret of [key, ...codes]) expect(text).not.toContain(secret)
    expect(JSON.stringify(world.log.lines)).not.toContain(key)
  })

  test('accepts five wrong codes, then needs the password again', async () => {
    const { email, visitor } = await world.member()
    const { app } = await withApp(visitor)
    const other = world.visitor()
    await signIn(other, email)
    const form_token = await other.token(STEP)
    const statuses: number[] = []
    for (const code of ['000001', '000002', 'abc', '000003', 'x'.repeat(200)])
      statuses.push((await other.post(STEP, { form_token, code })).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400])
    const right = await other.post(STEP, { form_token, code: app.next() })
    expect(right).toMatchObject({ status: 303, location: '/sign-in' })
    expect(await isInside(other)).toBe(false)
    await signIn(other, email)
    expect((await other.submit(STEP, { code: app.next() })).location).toBe('/developer')
  })

  test('keeps the name that was chosen for a passkey that could not be added', async () => {
    const { visitor } = await world.member()
    const named = { passkey: 'Ada’s phone', credential: '{}' }
    const refused = await visitor.submit(SETTING_UP, named, `${SETTING_UP}/passkey`)
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('name="passkey" type="text" value="Ada’s phone"')
  })

  test('leads on to the page that required the sign-in, also after what was wrong', async () => {
    const next = '/developer/alerts/new?from=GBP&to=KES'
    const onward = new URLSearchParams({ next })
    const { email, visitor } = await world.member()
    const { app } = await withApp(visitor)
    const other = world.visitor()
    const fields = { email, password: PASSWORD }
    const step = await other.submit(`/sign-in?${onward}`, fields, '/sign-in')
    expect(step.location).toBe(`${STEP}?${onward}`)
    const wrong = await other.submit(step.location!, { code: '000000' }, STEP)
    const form = formsIn(wrong.html).find(({ action }) => action === STEP)!
    expect(form.hidden.next).toBe(next)
    const noKey = { ...form.hidden, credential: '{}' }
    expect((await other.post('/sign-in/passkey', noKey)).location).toBe(
      `/sign-in?said=passkey&${onward}`,
    )
    const right = await other.post(STEP, { ...form.hidden, code: app.next() })
    expect(right).toMatchObject({ status: 303, location: next })
    const late = await world.visitor().get(step.location!)
    expect(late.location).toBe(`/sign-in?${onward}`)
  })

  test('returns 429 to an address that continues guessing', async () => {
    const { email, visitor } = await world.member()
    await withApp(visitor)
    const other = world.visitor()
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      await signIn(other, email)
      const form_token = await other.token(STEP)
      for (let code = 0; code < 2; code++)
        statuses.push((await other.post(STEP, { form_token, code: `${i}0000${code}` })).status)
      if (statuses.includes(429)) break
    }
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.length).toBeLessThan(10)
  })
})

describe('a recovery code', () => {
  test('signs in once, instead of a code from the app', async () => {
    const { email, visitor } = await world.member()
    const { codes } = await withApp(visitor)
    const [first, second] = [world.visitor(), world.visitor()]
    await signIn(first, email)
    expect((await first.submit(STEP, { code: ` ${codes[0]} ` })).status).toBe(303)
    await signIn(second, email)
    expect((await second.submit(STEP, { code: codes[0]! })).status).toBe(400)
    expect((await second.submit(STEP, { code: codes[1]! })).status).toBe(303)
    expect((await first.get(SETTING_UP)).html).toContain('8 recovery codes are left')
  })

  test('used twice at once, signs in once', async () => {
    const { email, visitor } = await world.member()
    const { codes } = await withApp(visitor)
    const both = [world.visitor(), world.visitor()]
    for (const one of both) await signIn(one, email)
    const tokens = await Promise.all(both.map((one) => one.token(STEP)))
    const code = codes[3]!
    const seen = await Promise.all(
      both.map((one, i) => one.post(STEP, { form_token: tokens[i]!, code })),
    )
    expect(seen.map(({ status }) => status).sort()).toEqual([303, 400])
  })

  test('is replaced with all others by new ones', async () => {
    const { email, visitor } = await world.member()
    const { codes } = await withApp(visitor)
    const fields = { 'codes-password': PASSWORD }
    const { html } = await visitor.submit(SETTING_UP, fields, `${SETTING_UP}/codes`)
    const fresh = /<pre id="recovery-codes"><code>([^<]+)</.exec(html)![1]!.split('\n')
    expect(fresh).toHaveLength(10)
    const other = world.visitor()
    await signIn(other, email)
    expect((await other.submit(STEP, { code: codes[0]! })).status).toBe(400)
    expect((await other.submit(STEP, { code: fresh[0]! })).status).toBe(303)
  })
})

describe('the second step', () => {
  test('leads back to the sign-in without the password before it', async () => {
    expect(await world.visitor().get(STEP)).toMatchObject({ status: 303, location: '/sign-in' })
    const visitor = world.visitor()
    const form_token = await visitor.token('/sign-in')
    const sent = await visitor.post(STEP, { form_token, code: '123456' })
    expect(sent).toMatchObject({ status: 303, location: '/sign-in' })
  })

  test('leads on to where the person wanted to go', async () => {
    const { email, visitor } = await world.member()
    const { app } = await withApp(visitor)
    const other = world.visitor()
    const page = '/sign-in?next=%2Fdeveloper%2Falerts'
    const first = await other.submit(page, { email, password: PASSWORD }, '/sign-in')
    expect(first.location).toBe(`${STEP}?next=%2Fdeveloper%2Falerts`)
    expect((await other.submit(first.location!, { code: app.next() })).location).toBe(
      '/developer/alerts',
    )
  })

  test('is not skipped by a new password', async () => {
    const { email, visitor } = await world.member()
    await withApp(visitor)
    const other = world.visitor()
    await other.submit('/forgotten', { email })
    const link = new URL(world.linksTo(email).at(-1)!)
    const password = 'a new pair of shoes'
    await other.submit(link.pathname + link.search, { password })
    const entered = await other.submit('/sign-in', { email, password }, '/sign-in')
    expect(entered.location).toBe(STEP)
  })
})

describe('a role that needs a second factor', () => {
  const lacking = async (): Promise<Member> => {
    const admin = await world.admin()
    expect(admin.visitor.cookies.size).toBeGreaterThan(0)
    return admin
  }

  test('opens only the page that sets one up, and then everything', async () => {
    const { visitor } = await lacking()
    for (const path of [
      '/developer',
      '/developer/profile',
      '/developer/alerts',
      '/operator',
      '/operator/accounts',
      '/oauth/authorize?client_id=x',
      `${SETTING_UP}/remove`,
    ])
      expect([path, (await visitor.get(path)).location]).toEqual([path, SETTING_UP])
    const { html } = await visitor.get(SETTING_UP)
    expect(html).toContain('Your role needs a second step')
    const form_token = await visitor.token(SETTING_UP)
    const key = await visitor.post('/developer/keys', { form_token, name: 'sneaked' })
    expect(key.location).toBe(SETTING_UP)
    await withApp(visitor)
    expect((await visitor.get('/operator')).status).toBe(200)
    expect((await visitor.get('/developer')).html).not.toContain('sneaked')
  })

  test('shuts out a person from the time of the assignment', async () => {
    const { email, visitor, key } = await world.member()
    expect(await isInside(visitor)).toBe(true)
    const { id } = await world.accountOf({ email })
    const operator = await world.admin()
    await withApp(operator.visitor)
    const form_token = await operator.visitor.token(`/operator/account?id=${id}`)
    const change = { form_token, id, plan: 'free', role: 'treasury' }
    expect((await operator.visitor.post('/operator/account', change)).status).toBe(303)
    expect((await visitor.get('/developer')).location).toBe(SETTING_UP)
    expect(await world.asked(key!)).toBe(200)
  })

  test('leaves people of other roles alone', async () => {
    const { visitor } = await world.member()
    expect(await isInside(visitor)).toBe(true)
  })

  test('can sign out, too', async () => {
    const { visitor } = await lacking()
    const form_token = await visitor.token(SETTING_UP)
    expect((await visitor.post('/sign-out', { form_token })).location).toBe('/sign-in')
  })
})

test('passkeys return 400 to a wrong password, and to a forged response, and add nothing', async () => {
  const { visitor } = await world.member()
  const form_token = await visitor.token(SETTING_UP)
  const page = `${SETTING_UP}/passkey`
  const wrong = await visitor.post(`${page}/options`, { form_token, 'passkey-password': 'no' })
  expect(wrong.status).toBe(400)
  expect(JSON.parse(wrong.html)).toEqual({
    error: 'The password is wrong.',
    code: 'invalid_parameter',
  })
  const fields = { form_token, 'passkey-password': PASSWORD }
  const { html } = await visitor.post(`${page}/options`, fields)
  const asked = JSON.parse(html)
  expect(asked.authenticatorSelection).toMatchObject({ userVerification: 'required' })
  expect(asked.rp).toEqual({ name: 'Corridor', id: 'localhost' })
  const answers = ['', '{', 'null', '{"id":"x"}', JSON.stringify({ id: 'x', response: {} })]
  for (const credential of answers) {
    const sent = await visitor.post(page, { form_token, passkey: 'k', credential })
    expect([credential, sent.status]).toEqual([credential, 400])
  }
  const anonymous = world.visitor()
  const token = await anonymous.token('/sign-in')
  await anonymous.post('/sign-in/passkey/options', { form_token: token })
  for (const credential of answers) {
    const sent = await anonymous.post('/sign-in/passkey', { form_token: token, credential })
    expect([credential, sent.location]).toEqual([credential, '/sign-in?said=passkey'])
  }
  expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

describe('removeFactors, as the command line calls it', () => {
  test('lets the person in by the password alone, and ends every session', async () => {
    const { email, visitor } = await world.member()
    await withApp(visitor)
    const { id } = await world.accountOf({ email })
    expect(await removeFactors(world.database, id, COMMAND_LINE)).toEqual({ email, count: 1 })
    expect(await isInside(visitor)).toBe(false)
    expect(await signIn(world.visitor(), email)).toMatchObject({ location: '/developer' })
    expect(await removeFactors(world.database, id, COMMAND_LINE)).toEqual({ email, count: 0 })
    const [entry] = await world.database.sql`
      select actor, after from audit_log where account_id = ${id} order by id desc limit 1`
    expect(entry).toEqual({ actor: COMMAND_LINE, after: { second_factor: null } })
  })

  test('finds no person if none signs in', async () => {
    expect(await removeFactors(world.database, crypto.randomUUID(), COMMAND_LINE)).toBeNull()
  })
})
