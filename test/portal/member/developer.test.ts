import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccountStore } from '~/store/access/account-store.ts'
import { otherHandle } from '../../store/samples.ts'
import { until } from '../../support/until.ts'
import { keyIn, type Member, PeopleWorld } from '../people-world.ts'

const HOUR_MS = 3_600_000

let world: PeopleWorld
let replica: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
  const database = { ...otherHandle(world.database), url: world.database.url }
  replica = await PeopleWorld.on(database)
})
afterAll(async () => {
  await replica.stop()
  await world.stop()
})

const make = async ({ visitor }: Member, name: string) => {
  const reply = await visitor.submit('/developer', { name }, '/developer/keys')
  return { ...reply, key: keyIn(reply.html) }
}

/** The path of a page's action on a key of that name. */
async function linkOf({ visitor }: Member, what: 'revoke' | 'replace', name: string) {
  const { html } = await visitor.get('/developer')
  const row = html.split('<tr>').find((part) => part.includes(`<th scope="row">${name}`))
  return new RegExp(`/developer/keys/${what}\\?key=[0-9a-f-]+`).exec(row ?? '')?.[0] ?? null
}

const untilRefused = (at: PeopleWorld, key: string) =>
  until('the key is refused', async () => (await at.asked(key)) === 401)

describe('keys', () => {
  test('a further key is shown once, works at once and shares the units', async () => {
    const ada = await world.member()
    const { status, key } = await make(ada, 'laptop')
    expect(status).toBe(200)
    expect(await world.asked(key!)).toBe(200)
    const { html } = await ada.visitor.get('/developer')
    expect(html).toContain('laptop')
    expect(html).not.toContain(key!)
    expect(html).toMatch(/<p class="figure">49<\/p>/)
    await until('the other replica knows it', async () => (await replica.asked(key!)) === 200)
  })

  test('a key for a program reads mids alone, by the address that the page shows', async () => {
    const ada = await world.member()
    const fields = { name: 'books', use: 'fixer' }
    const { status, html } = await ada.visitor.submit('/developer', fields, '/developer/keys')
    expect(status).toBe(200)
    const [address, key] = /\/compat\/(crr_\w+)\/fixer\//.exec(html)!
    expect(await world.asked(key!)).toBe(401)
    const reply = await ada.visitor.get(`${address}symbols`)
    expect([reply.status, reply.html]).toEqual([200, expect.stringContaining('"symbols"')])
    const area = (await ada.visitor.get('/developer')).html
    expect(area).toContain('1 of 100')
    expect(area).not.toContain(key!)
    const again = await ada.visitor.submit('/developer', fields, '/developer/keys')
    expect([again.status, again.html]).toEqual([
      400,
      expect.stringContaining('value="fixer" selected'),
    ])
  })

  test('a key for a program can be limited to web pages, a full one cannot', async () => {
    const ada = await world.member()
    const ask = (fields: Record<string, string>) =>
      ada.visitor.submit('/developer', fields, '/developer/keys')
    const origins = 'https://shop.example, https://blog.example'
    expect((await ask({ name: 'web', use: 'frankfurter', origins })).status).toBe(200)
    const [row] = await world.database.sql`select origins from keys where name = 'web'`
    expect(row!.origins).toEqual(origins.split(', '))
    expect((await ada.visitor.get('/developer')).html).toContain(origins)
    for (const fields of [
      { name: 'web 2', use: 'frankfurter', origins: 'shop.example' },
      { name: 'web 3', use: 'api', origins },
    ]) {
      const { status, html } = await ask(fields)
      expect([status, html]).toEqual([400, expect.stringContaining('id="origins-error"')])
      expect(html).toContain(`value="${fields.origins}"`)
    }
  })

  test('400 is returned for a name in use, no name, a long one, and after 20 keys', async () => {
    const ada = await world.member()
    const taken = (await make(ada, 'default')).html
    expect(taken).toMatch(/id="name-error">A key of that name is in use/)
    expect(taken).toMatch(/<input[^>]* aria-invalid="true"[^>]* value="default"/)
    for (const name of ['', '  ', 'x'.repeat(61), 'a\nb', 'a\u202Eb', '\u2067a', 'a\u200F']) {
      const { status, key } = await make(ada, name)
      expect([status, key]).toEqual([400, null])
    }
    for (let i = 2; i <= 20; i++) expect((await make(ada, `key ${i}`)).status).toBe(200)
    const { status, html } = await make(ada, 'one more')
    expect(status).toBe(400)
    expect(html).toContain('20 keys already')
  })

  test('fifty keys a day are the most, including revoked ones', async () => {
    const ada = await world.member()
    await world.database.sql`
      insert into keys (account_id, name, hash, revoked_at)
      select a.id, 'k', md5(n || a.id::text) || md5(n::text), now() - interval '1 hour'
      from accounts a, generate_series(1, 48) n where a.email = ${ada.email}`
    expect((await make(ada, 'the fiftieth')).status).toBe(200)
    const { status, html } = await make(ada, 'one more')
    expect(status).toBe(400)
    expect(html).toContain('50 keys were created in a day')
    await world.database.sql`update keys set created_at = now() - interval '25 hours'`
    expect((await make(ada, 'the day after')).status).toBe(200)
  })

  test('two concurrent requests do not exceed the limit together', async () => {
    const ada = await world.member()
    for (let i = 2; i <= 19; i++) await make(ada, `key ${i}`)
    const both = await Promise.all([make(ada, 'a'), make(ada, 'b')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('a revoked key is refused at once, here and on the other replica', async () => {
    const ada = await world.member()
    await until('the other replica knows it', async () => (await replica.asked(ada.key!)) === 200)
    const page = (await linkOf(ada, 'revoke', 'default'))!
    expect((await ada.visitor.get(page)).html).toContain('Revoke the key default?')
    expect(await world.asked(ada.key!)).toBe(200)
    expect((await ada.visitor.submit(page, {}, '/developer/keys/revoke')).status).toBe(303)
    expect(await world.asked(ada.key!)).toBe(401)
    await untilRefused(replica, ada.key!)
    expect(await linkOf(ada, 'revoke', 'default')).toBeNull()
  })

  test("an account cannot see, revoke or replace another's key", async () => {
    const [ada, eve] = [await world.member(), await world.member()]
    const id = /key=([0-9a-f-]+)/.exec((await linkOf(ada, 'revoke', 'default'))!)![1]!
    for (const path of ['/developer/keys/revoke', '/developer/keys/replace']) {
      expect((await eve.visitor.get(`${path}?key=${id}`)).location).toBe('/developer')
      const form_token = await eve.visitor.token('/developer')
      const fields = { form_token, key: id, overlap: '1h' }
      expect((await eve.visitor.post(path, fields)).status).toBe(400)
    }
    expect(await world.asked(ada.key!)).toBe(200)
  })
})

describe('the display of a key', () => {
  test('has its beginning and end on every page and in the log, and no more', async () => {
    const [ada, operator] = [await world.member(), await world.admin()]
    const { key } = await make(ada, 'laptop')
    const mark = `crd_…${key!.slice(-4)}`
    const account = /\/operator\/account\?id=[0-9a-f-]+/
    const found = await operator.visitor.get(`/operator/accounts?search=${ada.email}`)
    const revoking = (await linkOf(ada, 'revoke', 'laptop'))!
    const pages = [
      (await ada.visitor.get('/developer')).html,
      (await ada.visitor.get(revoking)).html,
      (await ada.visitor.get((await linkOf(ada, 'replace', 'laptop'))!)).html,
      (await operator.visitor.get(account.exec(found.html)![0])).html,
      (await operator.visitor.get('/operator/log?subject=laptop')).html,
    ]
    await ada.visitor.submit(revoking, {}, '/developer/keys/revoke')
    const file = (await operator.visitor.get(`/operator/log.csv?actor=${ada.email}`)).html
    for (const page of [...pages, file]) {
      expect(page).toContain(mark)
      expect(page).not.toContain(key!.slice(4, -4))
    }
    const [row] = await world.database.sql`select last_four from keys where name = 'laptop'
      order by created_at desc limit 1`
    expect(row!.last_four).toBe(key!.slice(-4))
    expect((await ada.visitor.get('/developer')).html).toContain(`${mark} ended`)
  })

  test('says what is known of a key created before its end was stored, and why no more', async () => {
    const ada = await world.member()
    const hint = 'before their last four characters were kept'
    expect((await ada.visitor.get('/developer')).html).not.toContain(hint)
    const { id: accountId } = await world.accountOf(ada)
    const hash = crypto.randomUUID().replaceAll('-', '').padEnd(64, '0')
    const old = { accountId, name: 'old', hash, actor: 'test' }
    await createAccountStore(world.database).createKey(old)
    await until('the page lists it', async () => (await linkOf(ada, 'revoke', 'old')) !== null)
    const { html } = await ada.visitor.get('/developer')
    expect(html).toMatch(/old ?<\/th><td data-label="Key" class="nowrap">crd_…<\/td>/)
    expect(html).toContain(hint)
  })

  test('names the old key and the new one of a replacement in the log', async () => {
    const ada = await world.member()
    const page = (await linkOf(ada, 'replace', 'default'))!
    const key = keyIn((await ada.visitor.submit(page, { overlap: '1h' })).html)!
    const [row] = await world.database.sql`
      select before ->> 'key' as old, after ->> 'key' as new from audit_log
      where action = 'key replaced' and actor = ${ada.email}`
    expect(row).toEqual({ old: `crd_…${ada.key!.slice(-4)}`, new: `crd_…${key.slice(-4)}` })
  })
})

describe('replacing a key', () => {
  test('both keys work until the overlap ends, to the millisecond, on every replica', async () => {
    const ada = await world.member()
    const page = (await linkOf(ada, 'replace', 'default'))!
    const { status, html } = await ada.visitor.submit(page, { overlap: '1h' })
    expect(status).toBe(200)
    const key = keyIn(html)!
    for (const each of [ada.key!, key]) expect(await world.asked(each)).toBe(200)
    await until('the other replica knows it', async () => (await replica.asked(key)) === 200)
    const [old] = await createAccountStore(world.database)
      .load()
      .then(({ keys }) =>
        keys.filter(({ revokedMs }) => revokedMs && revokedMs > world.clock.now()),
      )
    for (const { clock } of [world, replica]) clock.advance(old!.revokedMs! - clock.now() - 1)
    for (const at of [world, replica]) expect(await at.asked(ada.key!)).toBe(200)
    for (const { clock } of [world, replica]) clock.advance(1)
    for (const at of [world, replica]) {
      expect(await at.asked(ada.key!)).toBe(401)
      expect(await at.asked(key)).toBe(200)
    }
    expect((await ada.visitor.get('/developer')).html).toContain('1 ended key')
  })

  test('a form sent twice creates one key, and an old key that is ending can still be revoked', async () => {
    const ada = await world.member()
    const page = (await linkOf(ada, 'replace', 'default'))!
    const form_token = await ada.visitor.token(page)
    const fields = { form_token, key: page.split('=')[1]!, overlap: '7d' }
    expect((await ada.visitor.post('/developer/keys/replace', fields)).status).toBe(200)
    const again = await ada.visitor.post('/developer/keys/replace', fields)
    expect([again.status, keyIn(again.html)]).toEqual([400, null])
    world.clock.advance(HOUR_MS)
    const id = page.split('=')[1]
    await ada.visitor.submit(`/developer/keys/revoke?key=${id}`, {}, '/developer/keys/revoke')
    expect(await world.asked(ada.key!)).toBe(401)
  })

  test('400 is returned for an overlap that is not one of the choices', async () => {
    const ada = await world.member()
    const page = (await linkOf(ada, 'replace', 'default'))!
    for (const overlap of ['', '1y', 'toString'])
      expect((await ada.visitor.submit(page, { overlap })).status).toBe(400)
  })
})

describe('the use of keys', () => {
  test('changes with each call, by key and day, in the chart and in the table', async () => {
    const ada = await world.member()
    expect((await ada.visitor.get('/developer')).html).toContain('Nothing was asked')
    for (let i = 0; i < 3; i++) await world.asked(ada.key!)
    const { html } = await ada.visitor.get('/developer')
    expect(html).toContain('Requests in 30 days: 3, at most 3 on one day')
    expect(html).toContain('<td data-label="Last used">today</td>')
    expect(html).toContain('<rect')
    expect(html).toMatch(/<p class="figure">47<\/p>/)
  })

  test('of earlier days is shown, for thirty days', async () => {
    const ada = await world.member()
    await world.asked(ada.key!)
    const [row] = await world.database.sql`
      select a.id as account, k.id as key from accounts a join keys k on k.account_id = a.id
      where a.email = ${ada.email}`
    const today = new Date(world.clock.now()).toISOString().slice(0, 10)
    await world.database.sql`
      insert into usage (day, account_id, key_id, requests)
      select ${today}::date - back, ${row!.account}, ${row!.key}, 5
      from unnest(array[1, 29, 30]) back`
    const { html } = await ada.visitor.get('/developer')
    expect(html).toContain('Requests in 30 days: 11, at most 5 on one day')
  })
})

test('the developer page explains the tier, names the clients and has no key to try', async () => {
  const ada = await world.member()
  const { html } = await ada.visitor.get('/developer')
  expect(html).toContain('hourly')
  for (const client of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code'])
    expect(html).toContain(client)
  expect(html).toContain(`${world.origin}/mcp`)
  expect(html).not.toMatch(/crd_[0-9A-Za-z]{10}/)
  expect(html).not.toMatch(/<input id="try-key"[^>]*name=/)
})
