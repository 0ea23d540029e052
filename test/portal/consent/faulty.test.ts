import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PeopleWorld } from '../people-world.ts'
import type { Seen, Visitor } from '../visitor.ts'
import { Application, registration, signInFrom } from './application.ts'

const EVIL = 'https://evil.example/cb'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
}, 120_000)

afterAll(() => world.stop(), 30_000)

/** Changes to a request, each of which prevents a code. */
const FAULTS: Record<string, string | null>[] = [
  ...['x', 'token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', '', ' code'].map(
    (response_type) => ({ response_type }),
  ),
  { response_type: null },
  ...['plain', 's256', 'S512', '', ' S256'].map((code_challenge_method) => ({
    code_challenge_method,
  })),
  { code_challenge_method: null },
  { code_challenge: '' },
  { code_challenge: null },
  { code_challenge: null, code_challenge_method: null },
  { code_challenge: '', code_challenge_method: '' },
  { code_challenge: null, code_challenge_method: 'plain' },
  { response_type: 'token', code_challenge: null },
  { response_type: 'x', state: '' },
  { response_type: 'x', state: null },
  { response_type: 'x', state: 'y'.repeat(4000) },
  { response_type: 'x', redirect_uri: `${EVIL}?a=b` },
  { response_type: 'x', prompt: 'none' },
  { code_challenge: null, prompt: 'none' },
  { code_challenge_method: 'plain', prompt: 'none' },
  { response_type: 'token', response_mode: 'form_post' },
  { response_type: 'token', response_mode: 'fragment' },
  { response_type: 'x', scope: 'openid' },
  { code_challenge: null, scope: 'admin' },
  { response_type: 'x', claims: '{' },
  { response_type: 'x', request: 'eyJ' },
  { response_type: 'x', request_uri: 'https://evil.example/r' },
  { response_type: 'x', redirect_uri: null },
  { code_challenge: null, redirect_uri: '' },
  { response_type: 'x', resource: 'https://elsewhere.example/' },
  { response_type: 'x', client_id: 'nobody' },
]

async function questionOf(application: Application, changed: Record<string, string | null>) {
  const [path, search] = (await application.question({ redirect_uri: EVIL })).split('?')
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changed))
    if (value === null) query.delete(name)
    else query.set(name, value)
  return `${path}?${query}`
}

async function applicationAt(redirect_uris: string[], address: string): Promise<Application> {
  const { body } = await registration(world, { client_name: 'Agent', redirect_uris }, address)
  return new Application(world, body.client_id as string)
}

/** The external addresses of redirects, and the pages shown instead. */
async function walked(ask: (path: string) => Promise<Seen>) {
  const application = await applicationAt([EVIL, `${EVIL}?a=b`], '192.0.2.7')
  const outside: string[] = []
  const pages: string[] = []
  for (const fault of FAULTS) {
    const { status, location, html } = await ask(await questionOf(application, fault))
    if (location === null) pages.push(html)
    else outside.push(`${status} ${location}`)
    if (location === null) expect([fault, status]).toEqual([fault, 400])
  }
  return { outside, pages }
}

describe('40 requests with an error', () => {
  test('lead a person who is not signed in nowhere, and the page names the host', async () => {
    expect(FAULTS).toHaveLength(40)
    const { visitor } = await world.member()
    const { outside, pages } = await walked((path) => visitor.get(path))
    expect(outside).toEqual([])
    const naming = pages.filter((html) => html.includes('evil.example.'))
    expect(naming.length).toBeGreaterThan(30)
    for (const html of naming) expect(html).toContain('you were not sent there')
  })

  test('lead nowhere right after the sign-in either', async () => {
    const { email } = await world.member()
    const { outside } = await walked(async (path) => {
      const visitor = world.visitor()
      const seen = await visitor.get(path)
      expect(seen.location).toStartWith('/sign-in?')
      const { location } = await signInFrom(visitor, seen, email)
      expect(location).toStartWith('/oauth/authorize?')
      return visitor.get(location!)
    })
    expect(outside).toEqual([])
  }, 120_000)
})

/** The error that an application gets at its own address. */
async function redirect(
  visitor: Visitor,
  application: Application,
  changed: Record<string, string>,
) {
  const { status, location } = await visitor.get(await application.question(changed))
  return { status, url: location === null ? null : new URL(location) }
}

describe('an error in a request', () => {
  test.each([
    ['without a challenge', { code_challenge: '', code_challenge_method: '' }],
    ['with a plain challenge', { code_challenge_method: 'plain' }],
  ])(
    '%s is reported to an application that the person has connected, by an issuer that it can check',
    async (_, changed) => {
      const { visitor } = await world.member()
      const application = await Application.registered(world)
      expect((await redirect(visitor, application, changed)).url).toBeNull()
      await application.tokens({ visitor })
      const { status, url } = await redirect(visitor, application, changed)
      expect([status, url?.origin, url?.searchParams.get('error')]).toEqual([
        303,
        'http://127.0.0.1:33418',
        'invalid_request',
      ])
      expect(url?.searchParams.get('state')).toBe('the state')
      expect(url?.searchParams.get('iss')).toBe(world.origin)
    },
  )

  test('for a token instead of a code is reported in the fragment', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    await application.tokens({ visitor })
    const { status, url } = await redirect(visitor, application, { response_type: 'token' })
    const fields = new URLSearchParams(url?.hash.slice(1))
    expect([status, fields.get('error'), fields.get('iss'), url?.search]).toEqual([
      303,
      'unsupported_response_type',
      world.origin,
      '',
    ])
  })

  test('is not reported to the application after its disconnection, nor for another person', async () => {
    const { visitor } = await world.member()
    const other = await world.member()
    const application = await Application.registered(world)
    await application.tokens({ visitor })
    const plain = { code_challenge_method: 'plain' }
    expect((await redirect(other.visitor, application, plain)).url).toBeNull()
    const { html } = await visitor.get('/developer')
    const [, path] = /href="([^"]+)">Disconnect</.exec(html) ?? []
    await visitor.submit(path!, {}, '/developer/keys/revoke')
    expect((await redirect(visitor, application, plain)).url).toBeNull()
  })
})

describe('an address that was registered before hosts and schemes were limited', () => {
  test.each([
    'search-ms:query=x',
    'https://a.example;script-src/',
    "https://a.example,'unsafe-inline'/",
  ])('%s is no longer redirected to', async (redirect_uri) => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const { clientId } = application
    await world.database.sql`
      update oauth_clients set redirect_uris = ${[redirect_uri]} where client_id = ${clientId}`
    const seen = await visitor.get(await application.question({ redirect_uri }))
    expect([seen.status, seen.location]).toEqual([400, null])
    expect(seen.headers.get('content-security-policy')).toContain("form-action 'self';")
  })
})
