import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PeopleWorld } from '../people-world.ts'
import { personAllows, SdkClient } from './sdk-client.ts'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
}, 120_000)

afterAll(() => world.stop(), 30_000)

const LINES = ['first', 'second'] as const

describe.each(LINES)("a client of the SDK's %s line", (line) => {
  test('that knows only the address is connected by a person with a password', async () => {
    const { email, visitor } = await world.member()
    const client = new SdkClient(`${world.origin}/mcp`, line)
    await expect(client.connect()).rejects.toThrow()
    const back = await personAllows(client.keeper.asked!, email, client.steps)
    expect(back.searchParams.get('state')).toBe('the state of the client')
    await client.finish(back)
    const session = await client.connect()
    const { tools } = await session.listTools()
    expect(tools.map(({ name }) => name)).toContain('convert')
    expect((await visitor.get('/developer')).html).toContain('<th scope="row">Test agent</th>')
    expect(client.steps.map(stepOf)).toEqual(STEPS[line])
  })

  test('refreshes its token by itself when it has expired', async () => {
    const { email } = await world.member()
    const client = new SdkClient(`${world.origin}/mcp`, line)
    await expect(client.connect()).rejects.toThrow()
    await client.finish(await personAllows(client.keeper.asked!, email))
    const { access_token } = client.keeper.held
    await world.database.sql`update oauth_access_tokens set expires_at = now() - interval '1 day'`
    const { tools } = await (await client.connect()).listTools()
    expect(tools.length).toBeGreaterThan(5)
    expect(client.keeper.held.access_token).not.toBe(access_token)
    expect(client.steps.filter((step) => step.includes('refresh_token'))).toEqual([
      'POST /oauth/token refresh_token -> 200',
    ])
  })
})

const stepOf = (step: string): string => step.replace(/ {2,}/g, ' ')
const DISCOVERY = [
  'GET /.well-known/oauth-protected-resource/mcp -> 200',
  'GET /.well-known/oauth-authorization-server -> 200',
]

const PERSON = [
  'browser GET /oauth/authorize -> 303',
  'browser POST /sign-in -> 303',
  'browser GET /oauth/authorize -> 200',
  'browser POST /oauth/authorize -> 303',
]

/** Everything that is sent until the tools are listed. */
const STEPS = {
  first: [
    'POST /mcp initialize -> 401',
    ...DISCOVERY,
    'POST /oauth/register -> 201',
    ...PERSON,
    'POST /oauth/token authorization_code -> 200',
    'POST /mcp initialize -> 200',
    'POST /mcp notifications/initialized -> 202',
    'GET /mcp -> 405',
    'POST /mcp tools/list -> 200',
  ],
  second: [
    'POST /mcp server/discover -> 401',
    ...DISCOVERY,
    'POST /oauth/register -> 201',
    ...PERSON,
    'POST /oauth/token authorization_code -> 200',
    'POST /mcp server/discover -> 200',
    'POST /mcp tools/list -> 200',
  ],
}
