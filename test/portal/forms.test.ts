import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type CookiePrefix, cookiePrefixOf } from '~/portal/cookies.ts'
import { type Member, PASSWORD, PeopleWorld } from './people-world.ts'

let world: PeopleWorld
let ada: Member
let bob: Member

beforeAll(async () => {
  world = await PeopleWorld.start()
  ada = await world.member()
  bob = await world.member()
})
beforeEach(() => world.clock.advance(60_000))
afterAll(() => world.stop())

const FORMS: [path: string, fields: Record<string, string>][] = [
  ['/sign-up', {}],
  ['/sign-in', {}],
  ['/sign-out', {}],
  ['/confirm', {}],
  ['/forgotten', {}],
  ['/reset', {}],
  ['/developer/keys', { name: 'stolen' }],
  ['/developer/keys/revoke', {}],
  ['/developer/keys/replace', { overlap: '1h' }],
  ['/developer/alerts/new', { name: 'stolen' }],
  ['/developer/alert/change', {}],
  ['/developer/alert/status', {}],
  ['/developer/alert/test', {}],
  ['/developer/alert/secret', {}],
  ['/developer/alert/delete', {}],
  ['/developer/prices/preview', {}],
  ['/developer/prices/record', {}],
  ['/developer/prices/withdraw', { reason: 'stolen' }],
  ['/operator/account', {}],
  ['/operator/key', {}],
  ['/operator/providers', { providers: '' }],
]

describe('every form', () => {
  /** Address to which a resent form leads after the person signed in. */
  const INSIDE = '/developer?said=inside#keys-title'
  const WAYS_IN = ['/sign-up', '/sign-in', '/confirm']

  for (const [path, fields] of FORMS) {
    const isWayIn = WAYS_IN.includes(path)
    const refused = isWayIn ? [303, INSIDE] : [403, null]
    test(`${refused[0]} to ${path} without a token, with another's, with an anonymous caller's`, async () => {
      const others = [
        '',
        'x',
        await bob.visitor.token('/developer'),
        await world.visitor().token('/sign-in'),
      ]
      for (const form_token of others) {
        const { status, location } = await ada.visitor.post(path, { ...fields, form_token })
        expect([status, location]).toEqual(refused)
      }
    })

    test(`403 to ${path} from another site, whatever token it sends`, async () => {
      const form_token = await ada.visitor.token('/developer')
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${world.origin}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'content-type': 'text/plain' },
        { 'content-type': 'multipart/form-data; boundary=x' },
      ]) {
        const { status } = await ada.visitor.post(path, { ...fields, form_token }, headers)
        expect(status).toBe(403)
      }
    })
  }

  test('none of these changed anything', async () => {
    for (const path of ['/developer', '/developer/alerts'])
      expect((await ada.visitor.get(path)).html).not.toContain('stolen')
    expect(await world.asked(ada.key!)).toBe(200)
  })

  test('explains cookies to anonymous visitors with 403, and shows members the way back', async () => {
    const anonymous = await world.visitor().post('/sign-in', {})
    expect([anonymous.status, anonymous.html]).toEqual([403, expect.stringContaining('Cookies')])
    const member = await ada.visitor.post('/developer/keys', { name: 'x' })
    expect(member.html).toContain('<a href="/developer">the developer area</a>')
    expect(member.html).not.toContain('Cookies')
  })

  test('treats a NUL in any field as any wrong value, never as an internal error', async () => {
    const nul = 'a\0b@example.com'
    const admin = await world.admin()
    const names = [
      ...['email', 'password', 'token', 'name', 'key', 'overlap', 'id', 'plan', 'account'],
      ...['from', 'to', 'field', 'amount', 'op', 'value', 'since', 'age', 'tell', 'url'],
    ]
    const wrong = Object.fromEntries(names.map((name) => [name, nul]))
    const seen: string[] = []
    for (const [path] of FORMS) {
      const { visitor } = /^\/(operator|developer\/prices)/.test(path) ? admin : ada
      if (path === '/sign-out') continue
      const form_token = await visitor.token('/developer')
      for (const password of [nul, `${PASSWORD}\0`]) {
        const fields = { ...wrong, form_token, password, plan: 'free', role: 'member' }
        const { status } = await visitor.post(path, fields)
        seen.push(`${path} ${status}`)
      }
    }
    const pages = [
      ...['/operator/accounts?search=', '/operator/account?id=', '/operator/log?before='],
      ...['/reset?token=', '/confirm?token=', '/developer?said=', '/operator/key?key='],
      ...['/developer/alerts/new?from=', '/developer/alerts/new?name=', '/developer/alert?id='],
    ]
    for (const path of pages) seen.push(`${path} ${(await admin.visitor.get(`${path}%00`)).status}`)
    expect(seen.filter((each) => !/ (200|303|400|410)$/.test(each))).toEqual([])
    expect(world.log.said.filter((line) => line.includes('request failed'))).toEqual([])
  })

  test('returns 403 to a body over 16 kB', async () => {
    const form_token = await ada.visitor.token('/developer')
    const fields = { form_token, name: 'x'.repeat(17_000) }
    expect((await ada.visitor.post('/developer/keys', fields)).status).toBe(403)
  })

  test('returns 429 after 120 forms from one address in a minute, whatever they are', async () => {
    const visitor = world.visitor()
    const flood = async () => (await visitor.post('/sign-in', {})).status
    const statuses: number[] = []
    for (let i = 0; i < 121; i++) statuses.push(await flood())
    expect(new Set(statuses.slice(0, 120))).toEqual(new Set([403]))
    expect(statuses[120]).toBe(429)
    expect((await visitor.get('/sign-in')).status).toBe(200)
    world.clock.advance(60_000)
    expect(await flood()).toBe(403)
  })

  test('is refused with a token whose session has ended', async () => {
    const { visitor } = await world.member()
    const form_token = await visitor.token('/developer')
    await visitor.submit('/developer', {}, '/sign-out')
    expect((await visitor.post('/developer/keys', { form_token, name: 'late' })).status).toBe(403)
  })

  test('is accepted with its token from a browser that does not send its origin', async () => {
    const form_token = await ada.visitor.token('/developer')
    const { status } = await ada.visitor.ask('/developer/keys', {
      method: 'POST',
      body: new URLSearchParams({ form_token, name: 'plain' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(status).toBe(200)
  })
})

describe('every page', () => {
  const pages = ['/sign-up', '/sign-in', '/mailed', '/forgotten', '/reset?token=x']
  const own = ['/developer', '/developer/keys/revoke', '/developer/keys/replace']
  const alerts = ['/developer/alerts', '/developer/alerts/new', '/developer/alert']

  test('is not cached, runs nothing inline, and cannot be framed', async () => {
    const seen = [...pages.map((path) => [world.visitor(), path] as const)]
    seen.push(...[...own, ...alerts].map((path) => [ada.visitor, path] as const))
    for (const [visitor, path] of seen) {
      const { headers, html } = await visitor.get(path)
      expect(headers.get('cache-control')).toBe('no-store')
      if (html === '') continue
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-encoding')).toBeNull()
      expect(html).not.toMatch(/<script(?! type="module" src="\/assets\/)|\son\w+=|style="/)
    }
  })

  test('sends anonymous visitors to the sign-in', async () => {
    for (const path of own)
      expect(await world.visitor().get(path)).toMatchObject({ status: 303, location: '/sign-in' })
  })

  test('escapes what people enter about themselves', async () => {
    const hostile = `"><script>alert(1)</script>`
    const anonymous = world.visitor()
    const { html } = await anonymous.submit('/sign-in', { email: hostile, password: 'x' })
    expect(html).toContain('&lt;script>')
    expect(html).not.toContain('<script>')
    await ada.visitor.submit('/developer', { name: hostile }, '/developer/keys')
    const area = await ada.visitor.get('/developer')
    expect(area.html).toContain('&lt;script>')
    expect(area.html).not.toContain('<script>')
  })
})

describe('cookies', () => {
  test('are for https only if the site uses it, and hidden from scripts everywhere', async () => {
    const secure = await PeopleWorld.start({ PUBLIC_URL: 'https://corridor.example' })
    try {
      const lines = await cookieLines(secure, {})
      for (const line of lines) expect(line).toMatch(/Secure/)
      const links = secure.linksTo('who@example.org')
      expect(links).toHaveLength(1)
      expect(links[0]).toStartWith('https://corridor.example/confirm?')
    } finally {
      await secure.stop()
    }
    for (const line of await cookieLines(world, { 'x-forwarded-proto': 'https' }))
      expect(line).toMatch(/Secure/)
    for (const line of await cookieLines(world, {})) {
      expect(line).not.toMatch(/Secure/)
      expect(line).toMatch(/HttpOnly/)
      expect(line).toMatch(/SameSite=Lax/)
    }
  })

  test('cannot be set by another host of the domain if the site is at the root of an https address', async () => {
    const secure = await PeopleWorld.start({ PUBLIC_URL: 'https://corridor.example' })
    try {
      const { visitor, email } = await secure.member()
      const { headers } = await visitor.submit('/developer', {}, '/sign-out')
      const again = secure.visitor()
      const entrance = await again.get('/sign-in')
      const entered = await again.submit('/sign-in', { email, password: PASSWORD })
      const seen = [headers, entrance.headers, entered.headers]
      const lines = seen.flatMap((each) => each.getSetCookie())
      const names = new Set(lines.map((line) => line.split('=')[0]))
      for (const name of ['visitor', 'devices', 'session_token'])
        expect(names).toContain(`__Host-corridor.${name}`)
      for (const line of lines) {
        expect(line).toMatch(/^__Host-corridor\./)
        expect(line).toMatch(/; Path=\/(;|$)/)
        expect(line).toMatch(/; Secure(;|$)/)
        expect(line).not.toMatch(/domain/i)
      }
      const tossed = secure.visitor()
      for (const [name, value] of again.cookies)
        tossed.cookies.set(name.replace('__Host-', '__Secure-'), value)
      expect((await tossed.get('/developer')).location).toBe('/sign-in')
      expect((await again.get('/developer')).status).toBe(200)
    } finally {
      await secure.stop()
    }
  })

  test.each([
    [null, ''],
    ['http://localhost:3000', ''],
    ['https://corridor.example', '__Host-'],
    ['https://corridor.example/', '__Host-'],
    ['https://shared.example/corridor', '__Secure-'],
  ])('at %p their names begin with %p', (publicUrl, prefix) => {
    expect(cookiePrefixOf(publicUrl)).toBe(prefix as CookiePrefix)
  })

  async function cookieLines(at: PeopleWorld, headers: Record<string, string>) {
    const visitor = at.visitor()
    const page = await visitor.ask('/sign-up', { headers })
    const email = 'who@example.org'
    await visitor.submit('/sign-up', { email, password: 'correct horse battery' })
    const lines = page.headers.getSetCookie()
    expect(lines.length).toBe(1)
    return lines
  }
})
