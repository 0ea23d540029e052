import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { otherHandle, stockedDatabase } from '../../store/samples.ts'
import { MailSink } from '../../support/mail-sink.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { textOf } from '../portal-world.ts'
import { formsIn, type Visitor } from '../visitor.ts'

const PUBLIC_URL = 'http://corridor.example'
const PAGE = '/send/united-states-to-kenya?amount=200'
const ASK = '/alerts/new'

let database: FreshDatabase
let world: PeopleWorld
/** A replica without a mail server, whose log has the links of sign-ups. */
let entrance: PeopleWorld
let mails: MailSink

beforeAll(async () => {
  mails = new MailSink()
  database = await stockedDatabase()
  const mailing = { SMTP_URL: mails.url, MAIL_FROM: 'corridor@example.org', PUBLIC_URL }
  world = await PeopleWorld.on(database, mailing)
  entrance = await PeopleWorld.on({ ...otherHandle(database), url: database.url })
}, 120_000)

beforeEach(() => world.clock.advance(60_000))

afterAll(async () => {
  await entrance.stop()
  await world.stop()
  mails.stop()
}, 120_000)

type Sent = Record<string, string>

/** Sends the form of the pair's page, in a language if one is given. */
async function ask(visitor: Visitor, fields: Sent, prefix = '') {
  const { html } = await visitor.get(prefix + PAGE)
  const form = formsIn(html).find(({ action }) => action === prefix + ASK)!
  return visitor.post(form.action, { ...form.hidden, what: 'above', value: '26000', ...fields })
}

/** The emails to an address, once there are `count`. */
async function mailsTo(email: string, count: number): Promise<string[]> {
  for (let all = 1; ; all = mails.mails.length + 1) {
    const found = (await mails.until(Math.min(all, mails.mails.length))).filter((mail) =>
      mail.includes(`To: ${email}`),
    )
    if (found.length >= count) return found
    await mails.until(mails.mails.length + 1)
  }
}

const linkIn = (mail: string): string => pathOf(/^http\S+\/alerts\/subscribe\S+$/m.exec(mail)![0])

/**
 * Opens the link of an email; returns its page and the response to its form, which a script sends.
 */
async function follow(visitor: Visitor, link: string) {
  const { html, status } = await visitor.get(link)
  const [form] = formsIn(html)
  return { status, html, done: form ? await visitor.post(form.action, form.hidden) : null }
}

async function subscribed(email: string, fields: Sent = {}, visitor = world.visitor()) {
  const before = mails.mails.filter((mail) => mail.includes(`To: ${email}`)).length
  await ask(visitor, { email, ...fields })
  const mail = (await mailsTo(email, before + 1)).at(-1)!
  return { link: linkIn(mail), mail, ...(await follow(world.visitor(), linkIn(mail))) }
}

const alertsOf = (email: string) => database.sql`
  select a.id, a.field, a.value::float8 as value, a.status, a.source_country, a.target_country
  from alerts a join accounts o on o.id = a.account_id where o.email = ${email} order by a.created_at`

describe('emails about a pair', () => {
  test('need an email address and the link in the email: no password, no key, no session', async () => {
    const email = newEmail()
    const visitor = world.visitor()
    const asked = await ask(visitor, { email })
    expect([asked.status, textOf(asked.html)]).toEqual([200, expect.stringContaining(email)])
    expect(await alertsOf(email)).toHaveLength(0)
    const { done, html, mail } = await subscribed(email)
    expect(mail).toContain('what arrives for $200 rises above 26,000 KES')
    expect(html).toMatch(/<script type="module" src="[^"]*submit-/)
    expect(textOf(done!.html)).toContain('Your mails are on')
    expect(done!.headers.getSetCookie().join()).not.toContain('session')
    expect(await alertsOf(email)).toMatchObject([
      { field: 'best_current_net', value: 26_000, source_country: 'US', target_country: 'KE' },
    ])
    const [keys] = await database.sql`
      select count(*)::int as n from keys k join accounts a on a.id = k.account_id
      where a.email = ${email}`
    expect(keys!.n).toBe(0)
  })

  test('are in the language of the page, and lead to pages in it', async () => {
    const email = newEmail()
    const asked = await ask(world.visitor(), { email, what: 'monthly', value: '' }, '/fr')
    expect(textOf(asked.html)).toContain('Consultez votre messagerie')
    const [mail] = await mailsTo(email, 1)
    expect(mail).toContain('Content-Language: fr')
    expect(mail).toContain('chaque mois, les trois moyens les moins chers')
    expect(linkIn(mail!)).toStartWith('/fr/alerts/subscribe')
    await follow(world.visitor(), linkIn(mail!))
    const [user] = await database.sql`select language from portal_users where email = ${email}`
    expect([user!.language, (await alertsOf(email))[0]!.field]).toEqual(['fr', 'monthly'])
  })

  test('are created once by a link used twice, concurrently or later, and by the same request again', async () => {
    const email = newEmail()
    await ask(world.visitor(), { email })
    const link = linkIn((await mailsTo(email, 1))[0]!)
    const both = await Promise.all([follow(world.visitor(), link), follow(world.visitor(), link)])
    expect(both.map(({ done }) => done!.status)).toEqual([200, 200])
    await follow(world.visitor(), link)
    await subscribed(email)
    expect(await alertsOf(email)).toHaveLength(1)
  })

  test('end by one click, which their link does not undo, and start again by a new link', async () => {
    const email = newEmail()
    const { done, link } = await subscribed(email)
    const end = /href="([^"]*\/alerts\/end[^"]*)"/.exec(done!.html)![1]!.replaceAll('&amp;', '&')
    const oneClick = { 'List-Unsubscribe': 'One-Click' }
    expect((await world.visitor().post(end, oneClick, { origin: 'null' })).status).toBe(200)
    expect((await follow(world.visitor(), link)).done!.status).toBe(410)
    expect((await alertsOf(email)).map(({ status }) => status)).toEqual(['ended'])
    await subscribed(email)
    const statuses = (await alertsOf(email)).map(({ status }) => status)
    expect(statuses.sort()).toEqual(['active', 'ended'])
  })

  test('go to the account of an email address, and sign in no other person', async () => {
    const owner = await entrance.member()
    const outsider = world.visitor()
    const asked = await ask(outsider, { email: owner.email })
    const other = await ask(world.visitor(), { email: newEmail() })
    const anonymous = (html: string) => textOf(html).replace(/[\w-]+@example.com/, '')
    expect([asked.status, anonymous(asked.html)]).toEqual([other.status, anonymous(other.html)])
    expect(await alertsOf(owner.email)).toHaveLength(0)
    const { done } = await follow(outsider, linkIn((await mailsTo(owner.email, 1))[0]!))
    expect(done!.status).toBe(200)
    expect((await outsider.get('/developer')).location).toBe('/sign-in')
    expect((await owner.visitor.get('/developer/alerts')).html).toContain('26,000 KES')
    const entered = await world
      .visitor()
      .submit('/sign-in', { email: owner.email, password: PASSWORD })
    expect(entered.location).toBe('/developer')
  })

  test('end a password that was chosen for the email address and never confirmed', async () => {
    const email = newEmail()
    await entrance.visitor().submit('/sign-up', { email, password: PASSWORD })
    const confirming = pathOf(entrance.linksTo(email).at(-1)!)
    await subscribed(email)
    const thief = entrance.visitor()
    const tried = await thief.submit('/sign-in', { email, password: PASSWORD })
    expect([tried.status, tried.location]).toEqual([400, null])
    const late = await thief.submit(confirming, { password: PASSWORD })
    expect([late.status, late.location]).toEqual([400, null])
  })

  test('belong to an account that gets a password later', async () => {
    const email = newEmail()
    await subscribed(email)
    const visitor = entrance.visitor()
    await visitor.submit('/forgotten', { email })
    await visitor.submit(pathOf(entrance.linksTo(email).at(-1)!), { password: PASSWORD })
    const entered = await visitor.submit('/sign-in', { email, password: PASSWORD })
    expect(entered.location).toBe('/developer')
    expect((await visitor.get('/developer/alerts')).html).toContain('26,000 KES')
    expect((await visitor.get('/developer')).status).toBe(200)
  })

  test.each([
    ['an address of 300 characters', { email: `${'a'.repeat(290)}@example.com` }, 'email'],
    ['no address', { email: 'nobody' }, 'email'],
    ['two addresses', { email: 'a@example.org, b@example.org' }, 'email'],
    ['no amount', { email: 'a@example.org', value: '' }, 'value'],
    ['an amount of another currency', { email: 'a@example.org', value: '5 GBP' }, 'value'],
    ['markup', { email: '"<b>"@example.org', value: '<b>' }, 'value'],
  ])('return 400 for %s, with the values entered, and send no email', async (_, fields, at) => {
    const before = mails.mails.length
    const { status, html } = await ask(world.visitor(), fields)
    expect([status, html]).toEqual([400, expect.stringContaining(`id="${at}-error"`)])
    expect(html).not.toContain('<b>')
    expect(mails.mails).toHaveLength(before)
  })

  test('return 410 for a link that has expired, was changed, or belongs to no account', async () => {
    const email = newEmail()
    await ask(world.visitor(), { email })
    const link = linkIn((await mailsTo(email, 1))[0]!)
    for (const wrong of [
      link.slice(0, -1),
      link.replace('token=', 'token=e30.'),
      '/alerts/subscribe',
    ])
      expect((await world.visitor().get(wrong)).status).toBe(410)
    world.clock.advance(25 * 3_600_000)
    expect((await world.visitor().get(link)).status).toBe(410)
    world.clock.advance(-25 * 3_600_000)
  })

  test('return 403 for a form of another site, and 429 for a flood from one address', async () => {
    const email = newEmail()
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await world.visitor().post(ASK, { email }, foreign)).status).toBe(403)
    const visitor = world.visitor()
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await ask(visitor, { email })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect(await mailsTo(email, 5)).toHaveLength(5)
  })

  test('report that an account has as many as it may', async () => {
    const email = newEmail()
    for (const value of ['26001', '26002', '26003']) await subscribed(email, { value })
    const { done } = await subscribed(email, { value: '26004' })
    expect([done!.status, textOf(done!.html)]).toEqual([
      400,
      expect.stringContaining('The free plan has 3 alerts'),
    ])
    expect(await alertsOf(email)).toHaveLength(3)
  })

  test('are deleted with the account, and are part of its own data until then', async () => {
    const member = await entrance.member()
    await subscribed(member.email)
    const kept = JSON.parse((await member.visitor.get('/developer/profile/data.json')).html)
    expect(kept).toMatchObject({ person: { language: 'en' }, alerts: [{ amount: 200 }] })
    const deleted = await member.visitor.submit('/developer/profile/delete', { password: PASSWORD })
    expect(deleted.status).toBe(303)
    expect(await alertsOf(member.email)).toHaveLength(0)
  })
})
