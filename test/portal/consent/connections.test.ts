import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '~/domain/duration.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { corridor } from '../../support/command.ts'
import { PeopleWorld } from '../people-world.ts'
import { Application, asked, registration } from './application.ts'

let world: PeopleWorld
let other: PeopleWorld
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-connections-'))
  world = await PeopleWorld.start()
  other = await PeopleWorld.on(world.database)
}, 120_000)

afterAll(async () => {
  await other.stop()
  await world.stop()
  await rm(folder, { recursive: true })
}, 120_000)

const CALL = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'list_providers', arguments: {} },
})

/** Disconnects an application in the developer area, as its person does. */
async function disconnect(visitor: Awaited<ReturnType<PeopleWorld['member']>>['visitor']) {
  const { html } = await visitor.get('/developer')
  const [, path] = /href="([^"]+)">Disconnect</.exec(html) ?? []
  const { location } = await visitor.submit(path!, {}, '/developer/keys/revoke')
  expect(location).toStartWith('/developer?said=disconnected')
}

describe('a connection', () => {
  test('counts on the budget of the account, under its own name', async () => {
    const { visitor, key } = await world.member()
    const { access_token } = await (await Application.registered(world)).tokens({ visitor })
    const { headers } = await asked(world, access_token, CALL)
    expect(headers.get('x-ratelimit-limit')).toBe('50')
    const usage = await fetch(`${world.origin}/api/v1/admin/usage`, {
      headers: { 'x-api-key': key! },
    })
    expect(await usage.json()).toMatchObject({ used: 1 })
    const { html } = await visitor.get('/developer')
    expect(html).toContain('<th scope="row">Agent</th>')
    expect(html).toContain('<td data-label="Last used">today</td>')
  })

  test('is not a key: the API refuses its token, and no page replaces it', async () => {
    const { visitor, key } = await world.member()
    const { access_token } = await (await Application.registered(world)).tokens({ visitor })
    expect(await world.asked(access_token)).toBe(401)
    expect(await world.asked(key!)).toBe(200)
    const { html } = await visitor.get('/developer')
    const [, id] = /revoke\?key=([^"]+)">Disconnect</.exec(html)!
    const { location } = await visitor.get(`/developer/keys/replace?key=${id}`)
    expect(location).toBe('/developer')
  })

  test('created at one replica is known at the other, and ended there it ends at both', async () => {
    const { visitor, email } = await world.member()
    const application = await Application.registered(world)
    const code = await application.code(visitor)
    const elsewhere = new Application(other, application.clientId)
    const { body } = await elsewhere.exchange(code, { code_verifier: application.verifier })
    const token = body.access_token as string
    for (const replica of [world, other]) expect((await asked(replica, token)).status).toBe(200)
    await disconnect(visitor)
    expect((await asked(world, token)).status).toBe(401)
    const startMs = Date.now()
    while ((await asked(other, token)).status === 200)
      expect(Date.now() - startMs).toBeLessThan(1000)
    const { text } = await asked(other, token)
    expect(JSON.parse(text).code).toBe('revoked_key')
    const renewed = await elsewhere.renew(body.refresh_token as string)
    expect([renewed.status, renewed.body.error]).toEqual([400, 'invalid_grant'])
    const log = await world.database.sql`
      select actor, action, subject from audit_log where subject = 'Agent' and actor = ${email}
      order by id`
    expect(log.map(({ action }) => action)).toEqual(['key created', 'key revoked'])
  })

  test('created again after its end does not bring old tokens back', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const old = await application.tokens({ visitor })
    await disconnect(visitor)
    const fresh = await application.tokens({ visitor })
    expect((await asked(world, fresh.access_token)).status).toBe(200)
    expect((await asked(world, old.access_token)).status).toBe(401)
    expect((await application.renew(old.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('allowed twice is one', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const tokens = [await application.tokens({ visitor }), await application.tokens({ visitor })]
    for (const { access_token } of tokens)
      expect((await asked(world, access_token)).status).toBe(200)
    const { html } = await visitor.get('/developer')
    expect(html.match(/>Disconnect</g)).toHaveLength(1)
  })

  test('allowed by two concurrent clicks is one, and both lead back', async () => {
    for (let i = 0; i < 5; i++) {
      const { visitor } = await world.member()
      const application = await Application.registered(world)
      const clicks = await Promise.all([application.decide(visitor), application.decide(visitor)])
      expect(clicks.map(({ status }) => status)).toEqual([303, 303])
      for (const { location } of clicks) {
        const code = new URL(location!).searchParams.get('code')!
        expect((await application.exchange(code)).status).toBe(200)
      }
      const { html } = await visitor.get('/developer')
      expect(html.match(/>Disconnect</g)).toHaveLength(1)
    }
  })

  test('is refused beyond twenty, which do not count towards the limit of keys', async () => {
    const { visitor } = await world.member()
    for (let i = 0; i < 20; i++) {
      const { body } = await registration(world, { client_name: `A${i}` }, `192.0.2.${i}`)
      await new Application(world, body.client_id as string).code(visitor)
    }
    const { body } = await registration(world, { client_name: 'Last' }, '192.0.2.99')
    const last = new Application(world, body.client_id as string)
    const { status, html, location } = await last.decide(visitor)
    expect([status, location]).toEqual([409, null])
    expect(html).toContain('You have 20 connected applications')
    const made = await visitor.submit('/developer', { name: 'A1' }, '/developer/keys')
    expect(made.html).toContain('crd_')
  })

  test('is in a backup, as hashes alone', async () => {
    const { visitor } = await world.member()
    const { access_token, refresh_token } = await (
      await Application.registered(world, { client_name: 'Backed up' })
    ).tokens({ visitor })
    const path = join(folder, 'backup')
    expect((await corridor(['backup', path], world.database.url)).status).toBe(0)
    const text = Buffer.from(Bun.gunzipSync(new Uint8Array(await readFile(path)))).toString()
    expect(text).toContain('"name":"oauth_access_tokens"')
    expect(text).toContain('Backed up')
    for (const token of [access_token, refresh_token])
      expect(text).not.toContain(token.slice('crt_'.length))
  })
})

describe('createConnectionStore', () => {
  test('ends a connection 180 days after the consent, and removes it from the list', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    await application.tokens({ visitor })
    const store = createConnectionStore(world.database, [])
    const isListed = async () => (await visitor.get('/developer')).html.includes('>Disconnect<')
    const at = new Date(world.clock.now()).toISOString()
    await world.database.sql`
      update oauth_consents set updated_at = ${at}::timestamptz - interval '180 days'
      where client_id = ${application.clientId}`
    await store.prune(world.clock.now() - 1)
    expect(await isListed()).toBe(true)
    await store.prune(world.clock.now())
    expect(await isListed()).toBe(false)
    const [last] = await world.database.sql`
      select actor, action from audit_log where subject = 'Agent' order by id desc limit 1`
    expect(last).toEqual({ actor: '180 days without consent', action: 'key revoked' })
  })

  test('deletes the oldest unconnected applications', async () => {
    const store = createConnectionStore(world.database, [])
    await store.forgetUnconnected(0)
    const { visitor } = await world.member()
    const connected = await Application.registered(world)
    await connected.tokens({ visitor })
    const unconnected: string[] = []
    for (let i = 0; i < 4; i++) {
      world.clock.advance(1000)
      unconnected.push((await Application.registered(world)).clientId)
    }
    await store.forgetUnconnected(2)
    const { sql } = world.database
    const ids = [connected.clientId, ...unconnected]
    const left = await sql`select client_id from oauth_clients where client_id in ${sql(ids)}`
    const expected = [connected.clientId, ...unconnected.slice(2)]
    expect(left.map(({ client_id }) => client_id).sort()).toEqual(expected.sort())
  })

  test('prunes unconnected applications, expired tokens, and ended connections', async () => {
    const { visitor } = await world.member()
    const [kept, ended, alone] = [
      await Application.registered(world, { client_name: 'Kept' }),
      await Application.registered(world, { client_name: 'Ended' }),
      await Application.registered(world, { client_name: 'Alone' }),
    ]
    await ended.tokens({ visitor })
    await disconnect(visitor)
    const { access_token } = await kept.tokens({ visitor })
    const store = createConnectionStore(world.database, [])
    await store.prune(world.clock.now() + 2 * DAY_MS)
    const { sql } = world.database
    const ids = [kept, ended, alone].map(({ clientId }) => clientId)
    const left = await sql`select client_id from oauth_clients where client_id in ${sql(ids)}`
    expect(left.map(({ client_id }) => client_id)).toEqual([kept.clientId])
    const tokens = await sql`select client_id from oauth_access_tokens`
    expect(tokens.length).toBe(0)
    const renewable = await sql`
      select distinct client_id from oauth_refresh_tokens where client_id in ${sql(ids)}`
    expect(renewable.map(({ client_id }) => client_id)).toEqual([kept.clientId])
    expect((await asked(other, access_token)).status).toBe(401)
  })
})
