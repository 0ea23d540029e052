import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemPace } from '~/feed/fetcher.ts'
import { type Pinned, systemOutside } from '~/outbound/connection.ts'
import { applicationDocuments } from '~/runtime/people/applications.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { type Member, PeopleWorld } from '../people-world.ts'
import { Application, asked, registration } from './application.ts'
import { personAllows, SdkClient } from './sdk-client.ts'

const HOST = 'agent.example'
const CLIENT_ID = `https://${HOST}/oauth/client.json`
const CALLBACK = 'http://127.0.0.1:33418/callback'

/** Hosts of the public internet, all simulated by one local server. */
class Outside {
  readonly asked: string[] = []
  readonly connectedTo: string[] = []
  answer: (url: URL) => Response | Promise<Response> = () => new Response('', { status: 404 })
  addresses: readonly string[] = ['93.184.216.34']
  readonly #server = Bun.serve({
    port: 0,
    fetch: (request) => this.answer(new URL(request.headers.get('x-asked')!)),
  })

  readonly pace = {
    ...systemPace,
    deadline: () => AbortSignal.timeout(300),
    addressesOf: async () => this.addresses,
    connect: (request: Pinned) => {
      const { href } = request.url
      this.asked.push(href)
      this.connectedTo.push(...request.addresses)
      const headers = { ...request.headers, 'x-asked': href }
      const here = { url: this.#server.url, addresses: ['127.0.0.1'], headers }
      return systemOutside.connect({ ...request, ...here })
    },
  }

  /** Serves a description at CLIENT_ID. */
  describe(changed: object = {}): void {
    const document = {
      client_id: CLIENT_ID,
      client_name: 'Described agent',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    }
    this.answer = () => Response.json({ ...document, ...changed })
  }

  stop = () => this.#server.stop(true)
}

let outside: Outside
let world: PeopleWorld
let member: Member

beforeAll(async () => {
  outside = new Outside()
  world = await PeopleWorld.on(await freshDatabase(), {}, { pace: outside.pace })
  member = await world.member()
}, 120_000)

afterAll(async () => {
  await world.stop()
  outside.stop()
}, 120_000)

describe('an application that a document describes', () => {
  test('is connected without registering, by a client of the SDK', async () => {
    outside.describe()
    const { email } = await world.member()
    const client = new SdkClient(`${world.origin}/mcp`, 'second', CLIENT_ID)
    await expect(client.connect()).rejects.toThrow()
    await client.finish(await personAllows(client.keeper.asked!, email, client.steps))
    const { tools } = await (await client.connect()).listTools()
    expect(tools.length).toBeGreaterThan(5)
    expect(client.steps.filter((step) => step.includes('register'))).toEqual([])
    expect(outside.asked).toEqual([CLIENT_ID])
  })

  test('is shown with the host that describes it, and read once a day', async () => {
    const before = outside.asked.length
    const application = new Application(world, CLIENT_ID)
    const { html } = await member.visitor.get(await application.question())
    expect(html).toContain(`Described agent, as ${HOST} describes it (${CLIENT_ID}).`)
    expect(html).toContain('A program on this computer (127.0.0.1:33418).')
    expect(outside.asked.length).toBe(before)
    const { access_token } = await application.tokens(member)
    expect((await asked(world, access_token)).status).toBe(200)
  })

  test('is read at most 30 times an hour for one person, whoever shares the address', async () => {
    outside.answer = () => new Response('', { status: 404 })
    const [{ visitor }, other] = [await world.member(), await world.member()]
    other.visitor.address = visitor.address
    const statusFor = async (browser: typeof visitor, path: string) => {
      const application = new Application(world, `https://${HOST}/many/${path}`)
      return (await browser.get(await application.question())).status
    }
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push(await statusFor(visitor, `${i}`))
    expect(statuses).toEqual([...Array(30).fill(400), 429])
    expect(await statusFor(other.visitor, 'a')).toBe(400)
    const registered = await registration(world, { client_name: 'Shared' }, visitor.address)
    expect(registered.status).toBe(201)
  })

  test('is not fetched for anonymous callers', async () => {
    const before = outside.asked.length
    const application = new Application(world, 'https://new.example/client.json')
    const { status } = await world.visitor().get(await application.question())
    expect([status, outside.asked.length]).toEqual([303, before])
  })
})

describe('a description', () => {
  const refusal = async (path: string) => {
    const application = new Application(world, `https://${HOST}/${path}`)
    const { visitor } = await world.member()
    const { status, html, location } = await visitor.get(await application.question())
    expect([status, location]).toEqual([400, null])
    return html
  }

  const json = (body: unknown) => () => Response.json(body)
  const described = (path: string, more: object = {}) =>
    json({ client_id: `https://${HOST}/${path}`, redirect_uris: [CALLBACK], ...more })

  test.each<[string, () => Response | Promise<Response>, string]>([
    ['megabyte', () => new Response('x'.repeat(1_000_000)), 'at most 8 kB'],
    ['bomb', () => zipped('x'.repeat(1_000_000)), 'at most 8 kB'],
    ['slow', () => new Promise<Response>(() => {}), 'it does not come within 5 s'],
    ['redirect', () => Response.redirect('http://169.254.169.254/'), 'returned 302'],
    ['gone', () => new Response('', { status: 404 }), 'returned 404'],
    ['text', () => new Response('hello'), 'it is not JSON'],
    ['list', json([]), 'its client_id is not its own address'],
    ['other', json({ client_id: CLIENT_ID, redirect_uris: [CALLBACK] }), 'not its own address'],
    ['secret', described('secret', { token_endpoint_auth_method: 'x' }), 'is not supported'],
    ['script', described('script', { redirect_uris: ['javascript:1'] }), 'redirect_uris must be'],
  ])('is not accepted: %s', async (path, answer, said) => {
    outside.answer = answer
    expect(await refusal(path)).toContain(said)
    const { rows } = await stored(path)
    expect(rows).toBe(0)
  })

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:a00:1::1',
    'fec0::1',
  ])('is not fetched at %s', async (address) => {
    const before = outside.asked.length
    outside.addresses = ['93.184.216.34', address]
    const html = await refusal('inside')
    outside.addresses = ['93.184.216.34']
    expect(html).toContain('its host is not on the public internet')
    expect(outside.asked.length).toBe(before)
  })

  test('is fetched at the address that was checked', async () => {
    outside.describe()
    outside.connectedTo.splice(0)
    await refusal('pinned')
    expect(outside.connectedTo).toEqual([...outside.addresses])
  })

  test('is fetched at a public address behind NAT64', async () => {
    outside.addresses = ['64:ff9b::5db8:d822']
    outside.answer = () => new Response('', { status: 404 })
    const html = await refusal('translated')
    outside.addresses = ['93.184.216.34']
    expect(html).toContain('returned 404')
  })

  test('is not waited for while a name server does not resolve its host', async () => {
    const read = applicationDocuments({
      ...outside.pace,
      addressesOf: () => new Promise<never>(() => {}),
    })
    const readings = Array.from({ length: 5 }, () => read(CLIENT_ID))
    for (const { reason } of (await Promise.allSettled(readings)) as PromiseRejectedResult[])
      expect(reason.message).toContain('it does not come within 5 s')
  })

  test('is not fetched from the address of one of our machines by the real resolver either', async () => {
    const read = applicationDocuments()
    for (const host of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '2130706433'])
      await expect(read(`https://${host}:1/x`)).rejects.toThrow('public internet')
  })

  test.each([
    'http://agent.example/client.json',
    'https://agent.example/',
    'https://a:b@agent.example/client.json',
    'https://agent.example/a/../client.json',
    'https://agent.example/client.json#x',
    `https://agent.example/${'x'.repeat(500)}`,
  ])('is not resolved at %s', async (clientId) => {
    const before = outside.asked.length
    const application = new Application(world, clientId)
    const { status } = await member.visitor.get(await application.question())
    expect([status, outside.asked.length]).toEqual([400, before])
  })
})

const zipped = (text: string) =>
  new Response(Bun.gzipSync(text), { headers: { 'content-encoding': 'gzip' } })

async function stored(path: string) {
  const clientId = `https://${HOST}/${path}`
  const rows = await world.database.sql`select 1 from oauth_clients where client_id = ${clientId}`
  return { rows: rows.length }
}
