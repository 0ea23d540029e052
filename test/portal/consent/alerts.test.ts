import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PeopleWorld } from '../people-world.ts'
import { formsIn, type Visitor } from '../visitor.ts'
import { Application, asked } from './application.ts'

let world: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
}, 120_000)

afterAll(() => world.stop(), 30_000)

const call = (name: string, args: object = {}) =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  })
const CREATE = call('create_alert', {
  ...{ from: 'GBP', to: 'KES', field: 'mid', op: 'above', value: 180 },
})

/** The token of a person who allows the application to create alerts, or does not. */
async function tokenOf(application: Application, visitor: Visitor, isTicked: boolean) {
  const page = await visitor.get(await application.question())
  const form = formsIn(page.html).find(({ hidden }) => hidden.decision === 'allow')!
  const fields = { ...form.hidden, ...(isTicked && { alerts: 'yes' }) }
  const { location } = await visitor.post(form.action, fields)
  const code = new URL(location!).searchParams.get('code')!
  return (await application.exchange(code)).body as { access_token: string; scope: string }
}

describe('the alerts of a person', () => {
  test('are out of reach of an application without permission', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const { access_token, scope } = await tokenOf(application, visitor, false)
    expect(scope).toBe('mcp offline_access')
    for (const body of [CREATE, call('list_alerts'), call('end_alert', { id: 'x' })]) {
      const { text } = await asked(world, access_token, body)
      const { result } = JSON.parse(text)
      expect(result.isError).toBe(true)
      expect(JSON.parse(result.content[0].text)).toMatchObject({
        code: 'forbidden',
        error: expect.stringContaining('insufficient_scope'),
      })
    }
    expect(JSON.parse((await asked(world, access_token)).text).result.tools).toHaveLength(15)
  })

  test('can be created and ended by an application with permission, even after a token refresh', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const granted = await tokenOf(application, visitor, true)
    expect(granted.scope).toBe('mcp alerts offline_access')
    const { refresh_token } = granted as unknown as { refresh_token: string }
    const { body } = await application.renew(refresh_token)
    const token = body.access_token as string
    const listed = JSON.parse((await asked(world, token, call('list_alerts'))).text).result
    expect([listed.isError, JSON.parse(listed.content[0].text).alerts]).toEqual([undefined, []])
  })

  test('are ticked and named on the page of an application that requests them', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const box = (html: string) => /<input[^>]*name="alerts"[^>]*>/.exec(html)![0]
    const plain = await visitor.get(await application.question())
    expect(box(plain.html)).not.toContain('checked')
    const asking = await visitor.get(await application.question({ scope: 'mcp alerts' }))
    expect(box(asking.html)).toContain('checked')
    expect(asking.html).toContain('create, list and end alerts')
  })

  test('can be allowed to an application of an earlier version', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    await world.database.sql`
      UPDATE oauth_clients SET scopes = '{mcp,offline_access}'
      WHERE client_id = ${application.clientId}`
    expect((await tokenOf(application, visitor, true)).scope).toBe('mcp alerts offline_access')
  })
})
