import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MANNERS, MountProxy } from '../../support/mount-proxy.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { PeopleWorld } from '../people-world.ts'
import { personAllows, SdkClient } from './sdk-client.ts'

const bodyOf = async (url: string, headers: Record<string, string> = {}) => {
  const reply = await fetch(url, { headers })
  return (await reply.json()) as Record<string, unknown>
}

describe.each(MANNERS)('below a path, behind a proxy that %s', (manner) => {
  let proxy: MountProxy
  let world: PeopleWorld

  beforeAll(async () => {
    proxy = new MountProxy('/fx', manner)
    world = await PeopleWorld.on(await freshDatabase(), { PUBLIC_URL: proxy.home })
    proxy.target = world.origin
  }, 120_000)

  afterAll(async () => {
    await world.stop()
    await proxy.stop()
  }, 120_000)

  test('connects a client of the SDK', async () => {
    const { email } = await world.member()
    const client = new SdkClient(`${proxy.home}/mcp`, 'second')
    await expect(client.connect()).rejects.toThrow()
    expect(client.keeper.asked!.href).toStartWith(`${proxy.home}/oauth/authorize?`)
    const back = await personAllows(client.keeper.asked!, email)
    expect(back.searchParams.get('iss')).toBe(proxy.home)
    await client.finish(back)
    const { tools } = await (await client.connect()).listTools()
    expect(tools.length).toBeGreaterThan(5)
  })
})

describe('the metadata', () => {
  let world: PeopleWorld
  beforeAll(async () => {
    world = await PeopleWorld.start()
  }, 120_000)
  afterAll(() => world.stop(), 30_000)

  test('names the address of the request if no setting gives one', async () => {
    const { host } = new URL(world.origin)
    for (const [headers, home] of [
      [{}, `http://${host}`],
      [{ host: 'fx.example' }, 'http://fx.example'],
      [{ host: 'fx.example', 'x-forwarded-proto': 'https' }, 'https://fx.example'],
    ] as const) {
      const wellKnown = `${world.origin}/.well-known`
      for (const path of ['oauth-protected-resource/mcp', 'oauth-protected-resource'])
        expect(await bodyOf(`${wellKnown}/${path}`, headers)).toEqual({
          resource: `${home}/mcp`,
          authorization_servers: [home],
          scopes_supported: ['mcp', 'alerts'],
          bearer_methods_supported: ['header'],
          resource_name: 'Corridor',
          resource_documentation: `${home}/docs`,
        })
      const server = await bodyOf(`${wellKnown}/oauth-authorization-server`, headers)
      expect(server).toMatchObject({
        issuer: home,
        authorization_endpoint: `${home}/oauth/authorize`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        client_id_metadata_document_supported: true,
      })
      expect(await bodyOf(`${wellKnown}/openid-configuration`, headers)).toMatchObject(server)
    }
  })

  test.each([
    'oauth-protected-resource/mcp',
    'oauth-protected-resource',
    'oauth-authorization-server',
    'openid-configuration',
  ])('at %s has a tag for each host, and must not be cached for others', async (path) => {
    const ask = (host: string, headers: Record<string, string> = {}) =>
      fetch(`${world.origin}/.well-known/${path}`, { headers: { host, ...headers } })
    const [ours, other] = [await ask('fx.example'), await ask('evil.example')]
    for (const { headers } of [ours, other]) {
      expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(headers.get('vary')).toBe('accept-encoding, host')
    }
    const etag = ours.headers.get('etag')!
    expect(etag).not.toBe(other.headers.get('etag'))
    const held = { 'if-none-match': etag }
    expect((await ask('fx.example', held)).status).toBe(304)
    const changed = await ask('evil.example', held)
    expect([changed.status, await changed.text()]).toEqual([200, await other.text()])
  })

  test('is cacheable for five minutes if a setting gives the address, whatever the host', async () => {
    const named = await PeopleWorld.on(world.database, { PUBLIC_URL: 'https://fx.example' })
    const ask = (host: string) =>
      fetch(`${named.origin}/.well-known/oauth-authorization-server`, { headers: { host } })
    const [ours, other] = [await ask('fx.example'), await ask('evil.example')]
    await named.stop()
    expect(ours.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await other.text()).toBe(await ours.text())
  })

  test('is readable by pages of any origin', async () => {
    const reply = await fetch(`${world.origin}/.well-known/oauth-authorization-server`)
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    for (const [path, method] of [
      ['/.well-known/oauth-authorization-server', 'GET'],
      ['/oauth/register', 'POST'],
      ['/oauth/token', 'POST'],
    ] as const) {
      const headers = {
        origin: 'https://inspector.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'mcp-protocol-version',
      }
      const asked = await fetch(`${world.origin}${path}`, { method: 'OPTIONS', headers })
      expect(asked.status).toBe(204)
      const { headers: allowed } = asked
      expect(allowed.get('access-control-allow-origin')).toBe('*')
      expect(allowed.get('access-control-allow-methods')).toBe(method)
      expect(allowed.get('access-control-allow-headers')).toContain('mcp-protocol-version')
    }
  })
})
