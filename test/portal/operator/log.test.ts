import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { createAccountStore } from '~/store/access/account-store.ts'
import { type Member, newEmail, PeopleWorld } from '../people-world.ts'

let world: PeopleWorld
let operator: Member
let ada: Member

beforeAll(async () => {
  world = await PeopleWorld.start()
  operator = await world.admin()
  ada = await world.member()
})
afterAll(() => world.stop())

const see = async (path: string) => (await operator.visitor.get(path)).html

/** The number of entries a page of the log lists. */
const countOf = (html: string): number => Math.max(0, html.split('<tr>').length - 2)

/** A command-line account with this many changes of its plan after its creation. */
async function changedAccount(changes: number): Promise<string> {
  const email = newEmail()
  const store = createAccountStore(world.database)
  const keyHash = crypto.randomUUID().replaceAll('-', '').padStart(64, '0')
  const made = { email, plan: 'free', role: 'member', keyName: 'k', keyHash } as const
  const { account } = await store.create(made)
  for (let i = 0; i < changes; i++) await store.update(account.id, { plan: i % 2 ? 'free' : 'pro' })
  return email
}

describe('changes', () => {
  test('are listed with the actor, the change, before and after', async () => {
    const eve = await world.member()
    const { id } = await world.accountOf(eve)
    const page = `/operator/account?id=${id}`
    await operator.visitor.submit(page, { plan: 'enterprise', role: 'member' })
    await eve.visitor.submit('/developer', { name: 'laptop' }, '/developer/keys')
    await createAccountStore(world.database).update(id, { plan: 'pro' })
    const rows = (await see('/operator/log')).split('<tr>')
    const row = (...words: string[]) =>
      rows.find((text) => words.every((word) => text.includes(word)))
    expect(row('account changed', 'plan free → enterprise', operator.email)).toBeTruthy()
    expect(row('account changed', 'plan enterprise → pro', 'command line')).toBeTruthy()
    expect(row('key created', 'laptop', eve.email)).toBeTruthy()
    expect(row('account created', 'plan free', eve.email)).toBeTruthy()
  })

  test('cannot be altered, and an edit without effect is not a change', async () => {
    const { sql } = world.database
    await expect(sql`update audit_log set actor = 'nobody'`.execute()).rejects.toThrow(
      'append-only',
    )
    await expect(sql`delete from audit_log`.execute()).rejects.toThrow('append-only')
    await expect(sql`truncate audit_log`.execute()).rejects.toThrow('append-only')
    const [before] = await sql`select count(*)::int as n from audit_log`
    const { id, plan, role } = await world.accountOf(ada)
    await operator.visitor.submit(`/operator/account?id=${id}`, { plan, role })
    const [after] = await sql`select count(*)::int as n from audit_log`
    expect(after).toEqual(before)
  })

  test('come in pages, newest first', async () => {
    await changedAccount(51)
    const first = await see('/operator/log')
    const [, before] = /\/operator\/log\?before=(\d+)/.exec(first)!
    expect(first.split('<tr>').length - 2).toBe(50)
    const second = await see(`/operator/log?before=${before}`)
    expect(second.split('<tr>').length - 2).toBeGreaterThan(1)
    expect(second).toContain('plan free → pro')
  })
})

describe('the filters of the changes', () => {
  const filtered = (fields: Record<string, string>) =>
    see(`/operator/log?${new URLSearchParams(fields)}`)

  test('accept a part of the actor or the subject, in any case, without wildcards', async () => {
    const email = await changedAccount(3)
    const part = email.slice(2, 30).toUpperCase()
    expect(countOf(await filtered({ subject: part }))).toBe(4)
    expect(countOf(await filtered({ subject: part, actor: 'command line' }))).toBe(4)
    expect(countOf(await filtered({ subject: part, actor: 'COMMAND' }))).toBe(4)
    expect(await filtered({ subject: part, actor: operator.email })).toContain('No change fits.')
    for (const wildcard of ['%', '_', '\\'])
      expect(await filtered({ subject: wildcard })).toContain('No change fits.')
    expect((await operator.visitor.get('/operator/log?actor=%00')).status).toBe(200)
  })

  test('accept one kind of change', async () => {
    const subject = await changedAccount(2)
    expect(countOf(await filtered({ subject, action: 'account changed' }))).toBe(2)
    expect(countOf(await filtered({ subject, action: 'account created' }))).toBe(1)
    expect(countOf(await filtered({ action: 'key created', subject: 'k' }))).toBeGreaterThan(0)
  })

  test('accept two days, both included', async () => {
    const subject = await changedAccount(0)
    const { sql } = world.database
    const at = '2026-03-05T23:59:59.999Z'
    await sql`insert into audit_log (at, actor, action, account_id, subject)
      select ${at}::timestamptz, 'somebody', 'account changed', account_id, subject from audit_log
      where subject = ${subject}`
    const on = (from: string, to: string) => filtered({ subject, from, to })
    expect(countOf(await on('2026-03-05', '2026-03-05'))).toBe(1)
    expect(countOf(await on('', '2026-03-05'))).toBe(1)
    expect(countOf(await on('2026-03-06', ''))).toBe(1)
    expect(countOf(await on('2026-03-06', '2026-03-06'))).toBe(0)
    expect(countOf(await on('', '2026-03-04'))).toBe(0)
  })

  test('return 400 to an invalid date and an unknown change, by name, and the form keeps its values', async () => {
    for (const [name, value, fault] of [
      ['from', '2026-02-30', 'That is not a date'],
      ['to', 'soon', 'That is not a date'],
      ['action', 'key eaten', 'There is no such change'],
    ] as const)
      for (const path of ['/operator/log', '/operator/log.csv']) {
        const fields = new URLSearchParams({ [name]: value, actor: '"<b>' })
        const { status, html } = await operator.visitor.get(`${path}?${fields}`)
        expect([status, countOf(html)]).toEqual([400, 0])
        expect(html).toContain(`id="${name}-error">${fault}`)
        expect(html).toContain('value="&quot;&lt;b>"')
      }
    const backwards = await filtered({ from: '2026-03-05', to: '2026-03-04' })
    expect(backwards).toContain('id="to-error">The last day is before the first.')
  })

  test('stay in effect from page to page, back to the newest, and in the file', async () => {
    const subject = await changedAccount(51)
    const first = await filtered({ subject, action: 'account changed' })
    const href = /href="(\/operator\/log\?[^"]*before=\d+)"/.exec(first)![1]!
    const second = await see(href.replaceAll('&amp;', '&'))
    expect([countOf(first), countOf(second)]).toEqual([50, 1])
    const query = new URLSearchParams({ action: 'account changed', subject }).toString()
    const escaped = query.replaceAll('&', '&amp;')
    expect(second).toContain(`href="/operator/log?${escaped}">Newest`)
    expect(second).toContain(`href="/operator/log.csv?${escaped}"`)
  })
})

describe('the file of the changes', () => {
  const fileOf = async (fields: Record<string, string>) => {
    const reply = await operator.visitor.get(`/operator/log.csv?${new URLSearchParams(fields)}`)
    const rows: Record<string, string>[] = parse(reply.html, { columns: true })
    return { ...reply, rows }
  }

  test('is a download with every match, newest first, beyond a page and a batch', async () => {
    const subject = await changedAccount(0)
    await world.database.sql`
      insert into audit_log (actor, action, account_id, subject, before, after)
      select 'somebody', 'account changed', account_id, subject,
        '{"plan":"free"}'::jsonb, jsonb_build_object('plan', n::text)
      from audit_log, generate_series(1, 1000) n where subject = ${subject}`
    const { status, headers, rows } = await fileOf({ subject })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="corridor-changes.csv"')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(rows).toHaveLength(1001)
    expect(rows.map(({ id }) => Number(id))).toEqual(
      rows.map(({ id }) => Number(id)).sort((a, b) => b - a),
    )
    const { id } = await world.accountOf({ email: subject })
    expect(rows[0]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...{ actor: 'somebody', action: 'account changed', subject, account_id: id },
      before: '{"plan":"free"}',
      after: '{"plan":"1000"}',
    })
    expect(rows.at(-1)).toMatchObject({ action: 'account created', before: '' })
  })

  test('is only a header if nothing matches', async () => {
    const { html } = await fileOf({ subject: 'nobody at all' })
    expect(html).toBe('id,at,actor,action,subject,account_id,before,after\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1'])(
    'has the key %s as text and not as a formula, and names with commas and quotes intact',
    async (start) => {
      const name = `${start},"${crypto.randomUUID()}"`
      await ada.visitor.submit('/developer', { name }, '/developer/keys')
      const { rows } = await fileOf({ subject: name })
      expect(rows.map(({ subject }) => subject)).toEqual([`'${name}`])
    },
  )

  test('has no formula for programs that split at a semicolon, in any column', async () => {
    const name = `x;=${crypto.randomUUID()}`
    await ada.visitor.submit('/developer', { name }, '/developer/keys')
    const { html } = await fileOf({ subject: name.slice(3) })
    expect(html).toContain(name.slice(3))
    expect(html).not.toMatch(/;[\s"]*[=+@-]/)
  })
})
