import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stockedDatabase } from '../../store/samples.ts'
import { until } from '../../support/until.ts'
import { Application, asked } from '../consent/application.ts'
import { newEmail, PASSWORD, PeopleWorld } from '../people-world.ts'
import { formsIn, type Visitor } from '../visitor.ts'
import { withApp } from './authenticator.ts'

const PROFILE = '/developer/profile'
const HOOK = { tell: 'webhook', url: 'http://127.0.0.1:9/hook' }
const ALERT = { from: 'USD', to: 'KES', field: 'best', op: 'above', value: '131.5', ...HOOK }

let world: PeopleWorld
let replica: PeopleWorld

beforeAll(async () => {
  const database = await stockedDatabase()
  world = await PeopleWorld.on(database, { WEBHOOK_ALLOW: '127.0.0.1' })
  replica = await PeopleWorld.on(database)
}, 120_000)
afterAll(async () => {
  await world.stop()
  await replica.stop()
}, 120_000)

const deleted = (visitor: Visitor, password = PASSWORD) =>
  visitor.submit(`${PROFILE}/delete`, { password }, `${PROFILE}/delete`)

const textsOf = async (table: string): Promise<string> => {
  const { sql } = world.database
  const rows = await sql`select t::text from ${sql(table)} t`
  return rows.map(({ t }) => t).join('\n')
}

const tables = async (): Promise<string[]> => {
  const rows = await world.database.sql`
    select tablename from pg_tables where schemaname = 'public'`
  return rows.map(({ tablename }) => tablename)
}

/** A member with a key, an app, an alert and a connected application. */
async function settled() {
  const member = await world.member()
  const { visitor } = member
  await visitor.submit('/developer', { name: "Ada's laptop" }, '/developer/keys')
  const made = await visitor.submit('/developer/alerts/new', ALERT, '/developer/alerts/new')
  if (made.status !== 200) throw new Error(made.html)
  const application = await Application.registered(world, { client_name: 'Notebook' })
  const { access_token, refresh_token } = await application.tokens(member)
  return { ...member, application, access_token, refresh_token }
}

describe('an account that is deleted', () => {
  test('ends its keys, alerts, applications and sessions, on every replica', async () => {
    const { email, visitor, key, access_token, refresh_token, application } = await settled()
    const { id } = await world.accountOf({ email })
    await until('the replica knows the key', async () => (await replica.asked(key!)) === 200)
    expect((await asked(replica, access_token)).status).toBe(200)
    const gone = await deleted(visitor)
    expect(gone).toMatchObject({ status: 303, location: '/sign-in?said=deleted' })
    expect((await visitor.get('/sign-in?said=deleted')).html).toContain('Your account is deleted')
    expect(await world.asked(key!)).toBe(401)
    expect((await asked(world, access_token)).status).toBe(401)
    expect((await application.renew(refresh_token)).status).toBe(400)
    await until('the replica refuses the key', async () => (await replica.asked(key!)) === 401)
    expect((await asked(replica, access_token)).status).toBe(401)
    expect((await visitor.get('/developer')).location).toBe('/sign-in')
    const left = await world.database.sql`
      select (select count(*)::int from alerts where account_id = ${id}) as alerts,
        (select count(*)::int from oauth_consents c join portal_users u on u.id = c.user_id
          where u.account_id = ${id}) as consents`
    expect(left[0]).toEqual({ alerts: 0, consents: 0 })
  })

  test('leaves its email and the names of its keys nowhere, not even in the log of changes', async () => {
    const { email, visitor } = await settled()
    const to = newEmail()
    const change = { email: to, 'email-password': PASSWORD }
    await visitor.submit(PROFILE, change, `${PROFILE}/address`)
    const link = new URL(world.linksTo(to).at(-1)!)
    await visitor.submit(link.pathname + link.search, {})
    await withApp(visitor)
    const { id } = await world.accountOf({ email: to })
    expect(await textsOf('audit_log')).toContain(email)
    expect((await deleted(visitor)).status).toBe(303)
    for (const table of await tables()) {
      const text = await textsOf(table)
      for (const trace of [email, to, "Ada's laptop"])
        expect([table, trace, text.includes(trace)]).toEqual([table, trace, false])
    }
    const entries = await world.database.sql`
      select actor, action from audit_log where account_id = ${id} order by id`
    expect(entries.at(-1)).toEqual({ actor: `deleted-${id}`, action: 'account deleted' })
    expect(entries.map(({ action }) => action)).toContain('account created')
  })

  test('leaves the actions of others, and its counts of requests, unchanged', async () => {
    const [mine, theirs] = [await settled(), await world.member()]
    const { id } = await world.accountOf(mine)
    await deleted(mine.visitor)
    expect(await textsOf('audit_log')).toContain(theirs.email)
    expect(await world.asked(theirs.key!)).toBe(200)
    const [row] = await world.database.sql`
      select email, plan, role from accounts where id = ${id}`
    expect(row).toEqual({ email: `deleted-${id}`, plan: 'free', role: 'member' })
  })

  test('can sign up again, to an account of its own', async () => {
    const { email, visitor } = await world.member()
    const { id } = await world.accountOf({ email })
    await deleted(visitor)
    const again = await world.member(email)
    expect(again.key).not.toBeNull()
    expect((await world.accountOf({ email })).id).not.toBe(id)
  })

  test('returns 400 to a wrong password, and nothing is deleted', async () => {
    const { email, visitor, key } = await world.member()
    expect((await deleted(visitor, 'not this one')).status).toBe(400)
    expect(await world.asked(key!)).toBe(200)
    expect((await world.accountOf({ email })).email).toBe(email)
  })

  test('is deleted once when requested twice concurrently', async () => {
    const { visitor } = await world.member()
    const { html } = await visitor.get(`${PROFILE}/delete`)
    const form = formsIn(html).find(({ action }) => action === `${PROFILE}/delete`)!
    const fields = { ...form.hidden, password: PASSWORD }
    const seen = await Promise.all([1, 2].map(() => visitor.post(form.action, fields)))
    expect(seen.filter(({ status }) => status >= 500)).toEqual([])
    expect(seen.map(({ location }) => location)).toContain('/sign-in?said=deleted')
  })
})

test('the log of changes still refuses every other change', async () => {
  const { sql } = world.database
  await expect(sql`update audit_log set actor = 'x'`.execute()).rejects.toThrow('append-only')
  await expect(sql`delete from audit_log`.execute()).rejects.toThrow('append-only')
  await expect(sql`truncate audit_log`.execute()).rejects.toThrow('append-only')
})

describe('the download', () => {
  test('has everything that is stored about a person, and no secret', async () => {
    const member = await settled()
    const { email, visitor, key } = member
    const { codes, key: secret } = await withApp(visitor)
    await world.asked(key!)
    const seen = await visitor.get(`${PROFILE}/data.json`)
    expect(seen.headers.get('content-disposition')).toContain('attachment')
    expect(seen.headers.get('cache-control')).toBe('no-store')
    const kept = JSON.parse(seen.html)
    expect(kept).toMatchObject({
      person: { email },
      account: { plan: 'free', role: 'member' },
      authenticator_app: true,
      passkeys: [],
      applications: [{ name: 'Notebook' }],
      alerts: [{ corridor: 'USD/KES', status: 'active' }],
    })
    expect(kept.keys.map(({ name }: { name: string }) => name)).toEqual([
      ...['default', "Ada's laptop", 'Notebook'],
    ])
    expect(kept.sessions).toHaveLength(1)
    const actions = kept.changes.map(({ action }: { action: string }) => action)
    expect(actions).toContain('account created')
    for (const hidden of [key!, secret, ...codes, member.access_token, PASSWORD])
      expect(seen.html).not.toContain(hidden)
  })

  test('has nothing of anyone else', async () => {
    const [mine, theirs] = [await world.member(), await settled()]
    const { html } = await mine.visitor.get(`${PROFILE}/data.json`)
    expect(html).not.toContain(theirs.email)
    expect(JSON.parse(html)).toMatchObject({ alerts: [], applications: [] })
  })
})
