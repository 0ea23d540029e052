import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newSecret } from '~/domain/api-key.ts'
import { type Member, PeopleWorld } from '../people-world.ts'
import { Application, asked, form, registration } from './application.ts'

let world: PeopleWorld
let member: Member

beforeAll(async () => {
  world = await PeopleWorld.start()
  member = await world.member()
}, 120_000)

afterAll(() => world.stop(), 30_000)

describe('an authorization code', () => {
  test('that is used twice is refused, and revokes the tokens issued from it', async () => {
    const application = await Application.registered(world)
    const code = await application.code(member.visitor)
    const first = await application.exchange(code)
    const token = first.body.access_token as string
    expect((await asked(world, token)).status).toBe(200)
    const second = await application.exchange(code)
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    await ended(token)
    const renewed = await application.renew(first.body.refresh_token as string)
    expect([renewed.status, renewed.body.error]).toEqual([400, 'invalid_grant'])
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another address', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['another client', { client_id: 'another application' }, 'invalid_grant'],
    ['another service', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['another way', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is refused with %s', async (_, changed, error) => {
    const application = await Application.registered(world)
    const code = await application.code(member.visitor)
    const { status, body } = await application.exchange(code, changed)
    expect([status, body.error]).toEqual([400, error])
    expect(body.access_token).toBeUndefined()
  })
})

/** Waits until the end of a token is known. */
async function ended(token: string): Promise<void> {
  const deadline = Date.now() + 5000
  while ((await asked(world, token)).status !== 401)
    if (Date.now() > deadline) throw new Error('the token goes on working')
}

describe('a refresh token', () => {
  test('works once: its replacement works, and a second use revokes both', async () => {
    const application = await Application.registered(world)
    const first = await application.tokens(member)
    const renewed = await application.renew(first.refresh_token)
    expect(renewed.status).toBe(200)
    const next = renewed.body as typeof first
    expect(next.refresh_token).not.toBe(first.refresh_token)
    expect((await asked(world, next.access_token)).status).toBe(200)
    const again = await application.renew(first.refresh_token)
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
    await ended(next.access_token)
    expect((await application.renew(next.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('of another application is refused', async () => {
    const application = await Application.registered(world)
    const { refresh_token } = await application.tokens(member)
    const other = await Application.registered(world)
    const { status, body } = await other.renew(refresh_token)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('a request', () => {
  const refused = async (changed: Record<string, string>) => {
    const application = await Application.registered(world)
    const page = await member.visitor.get(await application.question(changed))
    return page
  }

  test.each([
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:33418/other' }],
    ['no address', { redirect_uri: '' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['a client of NUL', { client_id: '\0' }],
    ['another service', { resource: 'https://elsewhere.example/mcp' }],
  ])('with %s leads nowhere: 400 to the person, no redirect', async (_, changed) => {
    const { status, location, html } = await refused(changed)
    expect([status, location]).toEqual([400, null])
    expect(html).toContain('Nothing was allowed')
  })

  test('may come from another port of this computer than the registered one', async () => {
    const application = await Application.registered(world)
    const redirect_uri = 'http://127.0.0.1:9999/callback'
    const page = await member.visitor.get(await application.question({ redirect_uri }))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:9999;",
    )
  })

  test('that a person denies is reported to the application, and connects nothing', async () => {
    const application = await Application.registered(world, { client_name: 'Denied' })
    const { status, location } = await application.decide(member.visitor, 'deny')
    expect([status, new URL(location!).searchParams.get('error')]).toEqual([303, 'access_denied'])
    expect((await member.visitor.get('/developer')).html).not.toContain('Denied')
  })

  test('is decided only by a form of our page, and only as it was made', async () => {
    const application = await Application.registered(world)
    const { visitor } = member
    const token = await visitor.token(await application.question())
    const question = new URLSearchParams((await application.question()).split('?')[1])
    const fields = { decision: 'allow', question: question.toString() }
    const forged = await visitor.post('/oauth/authorize', { ...fields, form_token: token })
    expect([forged.status, forged.location]).toEqual([400, null])
    const foreign = await visitor.post('/oauth/authorize', fields)
    expect(foreign.status).toBe(403)
  })
})

describe('a sign-in', () => {
  test.each([
    'https://evil.example/',
    '//evil.example/oauth/authorize?',
    '/developer',
    '/oauth/authorize',
    `/oauth/authorize?${'x'.repeat(9000)}`,
    '/oauth/authorize?\r\nset-cookie: a=b',
    '/oauth/authorize?\0',
    '/oauth/authorize?\u{1F600}',
  ])('does not redirect to %p', async (next) => {
    const { location } = await member.visitor.get(`/sign-in?${new URLSearchParams({ next })}`)
    expect(location).toBe('/developer')
  })
})

describe('a token at /mcp', () => {
  test.each([
    'crt_0000000000000000000000000000000000000',
    `crt_${'0'.repeat(38)}`,
    'eyJhbGciOiJIUzI1NiJ9.e30.x',
  ])('gets 401 from another issuer: %s', async (token) => {
    const { status, text, headers } = await asked(world, token)
    expect([status, JSON.parse(text).code]).toEqual([401, 'invalid_key'])
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('is looked up 40 times in a flood of forged ones, then gets 429, and a genuine one is served', async () => {
    const application = await Application.registered(world)
    let tokens = await application.tokens(member)
    const forged = () => asked(world, `crt_${newSecret(randomBytes)}`)
    const before = world.log.lines.length
    const flood = await Promise.all(Array.from({ length: 400 }, forged))
    const statuses = new Set(flood.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([401, 429])
    const refused = flood.find(({ status }) => status === 429)!
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    for (let i = 0; i < 10; i++) {
      tokens = (await application.renew(tokens.refresh_token)).body as typeof tokens
      const [{ status }] = await Promise.all([asked(world, tokens.access_token), forged()])
      expect(status).toBe(200)
    }
    expect(world.log.lines.slice(before)).toEqual([])
  })

  test('gets 401 with the address to sign in if it is missing', async () => {
    const { headers } = await asked(world, null)
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="corridor", scope="mcp", resource_metadata=' +
        `"${world.origin}/.well-known/oauth-protected-resource/mcp", ApiKey realm="corridor"`,
    )
  })

  test('gets 401 if it expired', async () => {
    const { access_token } = await (await Application.registered(world)).tokens(member)
    await world.database.sql`update oauth_access_tokens set expires_at = now() - interval '1 hour'`
    expect((await asked(world, access_token)).status).toBe(401)
  })

  test('gets 401 at once if its person is deleted', async () => {
    const gone = await world.member()
    const { access_token } = await (await Application.registered(world)).tokens(gone)
    expect((await asked(world, access_token)).status).toBe(200)
    await world.database.sql`delete from portal_users where email = ${gone.email}`
    await ended(access_token)
  })

  test('gets 401 after its application revoked it, and its connection is deleted', async () => {
    const leaver = await world.member()
    const application = await Application.registered(world)
    const { access_token, refresh_token } = await application.tokens(leaver)
    expect((await leaver.visitor.get('/developer')).html).toContain('>Disconnect<')
    expect((await asked(world, access_token)).status).toBe(200)
    const { clientId: client_id } = application
    const strange = { token: refresh_token, client_id: 'another application' }
    expect((await form(world, '/oauth/revoke', strange)).status).toBe(200)
    expect((await asked(world, access_token)).status).toBe(200)
    const given = await form(world, '/oauth/revoke', { token: refresh_token, client_id })
    expect(given.status).toBe(200)
    expect((await asked(world, access_token)).status).toBe(401)
    expect((await leaver.visitor.get('/developer')).html).not.toContain('>Disconnect<')
  })
})

describe('a registration', () => {
  const NAME = { client_name: 'Agent' }
  const SHARED = '198.51.100.99'
  const named = (client_name: string) => ({
    client_name,
    redirect_uris: ['https://agent.example/back'],
  })

  test.each([
    ['no JSON', '{', 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
    ['null', null, 'invalid_client_metadata'],
    ['no address', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a number', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://a.example/#x'] }, 'invalid_redirect_uri'],
    ['a password', { redirect_uris: ['https://a:b@a.example/'] }, 'invalid_redirect_uri'],
    ...[
      ...['search-ms:query=a', 'ms-msdt:/id', 'jar:https://a.example/', 'ms-word:ofe|u|x'],
      ...['myapp://callback', 'steam://run/1', '.a:x', 'com.:x', 'ssh://a.example/'],
    ].map((uri) => [uri, { redirect_uris: [uri] }, 'invalid_redirect_uri'] as const),
    ...[
      ...["https://a.example;script-src'/", 'https://a.example,b.example/', "https://a'b.example/"],
      ...['https://*.example/', 'https://a b.example/', 'https://a\tb.example/', 'cursor://a;b/c'],
      ...['https://a$b.example/', 'https://a(b.example/', 'https://a%3bb.example/'],
    ].map((uri) => [uri, { redirect_uris: [uri] }, 'invalid_redirect_uri'] as const),
    ['eleven', { redirect_uris: Array(11).fill('https://a.example/') }, 'invalid_redirect_uri'],
    ['a long name', { client_name: 'x'.repeat(61) }, 'invalid_client_metadata'],
    ['a name of lines', { client_name: 'a\nb' }, 'invalid_client_metadata'],
    ['a name of two lines', { client_name: 'a\u2028b' }, 'invalid_client_metadata'],
    ['a name that nobody sees', { client_name: '\u200b\u3164' }, 'invalid_client_metadata'],
    ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['8 kB and one', `{"a":"${'x'.repeat(8 * 1024)}"}`, 'invalid_request'],
  ])('returns 400 for %s', async (name, metadata, code) => {
    const { status, body } = await registration(world, metadata, addressOf(name))
    expect([status, body.error]).toEqual([400, code])
    expect(body.error_description).toBeString()
  })

  test('accepts an app, a program on this computer and a site, and returns no secret', async () => {
    const redirect_uris = [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'http://localhost:33418/',
      'https://claude.ai/api/mcp/auth_callback',
      'com.example.app:/oauth',
      'vscode-insiders://publisher.extension/auth',
      'http://[::1]:4000/',
      'https://xn--bcher-kva.example:8443/a_b?c=d',
    ]
    const metadata = { ...NAME, redirect_uris, token_endpoint_auth_method: 'client_secret_post' }
    const { status, body } = await registration(world, metadata, '198.51.100.77')
    expect(status).toBe(201)
    expect(body).toMatchObject({ redirect_uris, token_endpoint_auth_method: 'none' })
    expect(body.client_secret).toBeUndefined()
  })

  test('returns 429 after thirty in an hour from one address', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 31; i++)
      statuses.push((await registration(world, named(`Agent ${i}`), SHARED)).status)
    expect(statuses).toEqual([...Array(30).fill(201), 429])
  })

  test('returns 201 beyond that for the copies of one application, which share its id', async () => {
    const first = await registration(world, named('Agent 0'), SHARED)
    const copies = await Promise.all(
      Array.from({ length: 40 }, () => registration(world, named('Agent 0'), SHARED)),
    )
    expect(new Set(copies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(copies.map(({ body }) => body.client_id))).toEqual(
      new Set([first.body.client_id]),
    )
    const other = { ...named('Agent 0'), redirect_uris: ['https://other.example/'] }
    expect((await registration(world, other, SHARED)).status).toBe(429)
  })

  test('by a copy keeps the application for another day', async () => {
    const [row] = await world.database.sql`
      update oauth_clients set created_at = created_at - interval '23 hours'
      where name = 'Agent 1' returning client_id`
    const { body } = await registration(world, named('Agent 1'), SHARED)
    expect(body.client_id).toBe(row!.client_id)
    const [kept] = await world.database.sql`
      select created_at > now() - interval '1 hour' as is_new from oauth_clients
      where client_id = ${row!.client_id}`
    expect(kept!.is_new).toBe(true)
  })
})

/** A separate address for each name, so that none uses up the limit of another. */
const addressOf = (name: string): string => `203.0.113.${Bun.hash.crc32(name) % 250}`
