import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { otherHandle, stockedDatabase } from '../../store/samples.ts'
import { MailSink } from '../../support/mail-sink.ts'
import { type Member, newEmail, PASSWORD, PeopleWorld, pathOf } from '../people-world.ts'
import { HOSTILE_NAME, rowsOf, textOf } from '../portal-world.ts'
import { formsIn } from '../visitor.ts'

const NEW = '/developer/alerts/new'
const LIST = '/developer/alerts'
const GONE = `${LIST}?said=gone`
const PUBLIC_URL = 'http://corridor.example'

let world: PeopleWorld
/** A replica without a mail server, whose log holds the links that people need to sign up. */
let entrance: PeopleWorld
let mails: MailSink

beforeAll(async () => {
  mails = new MailSink()
  const database = await stockedDatabase()
  const mailing = { SMTP_URL: mails.url, MAIL_FROM: 'corridor@example.org', PUBLIC_URL }
  world = await PeopleWorld.on(database, { WEBHOOK_ALLOW: '127.0.0.1', ...mailing })
  entrance = await PeopleWorld.on({ ...otherHandle(database), url: database.url })
}, 120_000)

beforeEach(() => {
  for (const { clock } of [world, entrance]) clock.advance(60_000)
})

afterAll(async () => {
  await entrance.stop()
  await world.stop()
  mails.stop()
}, 120_000)

/** A member who signed up at the replica and now uses the world. */
async function newMember(): Promise<Member> {
  const { visitor, ...rest } = await entrance.member()
  const own = world.visitor()
  for (const [name, value] of visitor.cookies) own.cookies.set(name, value)
  return { ...rest, visitor: own }
}

/** An address that webhooks may use; deliveries to it do not matter here. */
const HOOK = 'http://127.0.0.1:9/hook'

const FORM = { from: 'USD', to: 'KES', field: 'best', op: 'above', value: '131.5', tell: 'email' }

const make = ({ visitor }: Member, fields: Record<string, string> = {}) =>
  visitor.submit(NEW, { ...FORM, ...fields }, NEW)

/** Creates an email alert; returns the path of its page. */
async function made(member: Member, fields: Record<string, string> = {}): Promise<string> {
  const { status, location } = await make(member, fields)
  expect(status).toBe(303)
  return location!.split('&')[0]!
}

/** Creates a webhook alert; returns its secret and the path of its page. */
async function madeHook(member: Member) {
  const { html, status } = await make(member, { tell: 'webhook', url: HOOK })
  expect(status).toBe(200)
  const secret = /whsec_[A-Za-z0-9+/=]+/.exec(html)![0]
  return { secret, page: /\/developer\/alert\?id=[0-9a-f-]+/.exec(html)![0] }
}

/** Clicks a button of a page, found by the target of its form. */
async function press({ visitor }: Pick<Member, 'visitor'>, page: string, action: string) {
  const { html } = await visitor.get(page)
  const { hidden } = formsIn(html).find((form) => form.action === `/developer/alert/${action}`)!
  return visitor.post(`/developer/alert/${action}`, hidden)
}

const seen = async ({ visitor }: Member, path: string) => textOf((await visitor.get(path)).html)

async function asked({ key }: Member) {
  const reply = await fetch(`${world.origin}/api/v1/alerts`, { headers: { 'x-api-key': key! } })
  return (await reply.json()) as { alerts: Record<string, unknown>[] }
}

describe('the board', () => {
  const BUTTON = /<a class="button button-quiet" href="([^"]+)">Tell me when…/

  test('leads to the form of an alert on its pair', async () => {
    const { html } = await world.visitor().get('/?from=USD&to=KES&amount=250')
    const href = BUTTON.exec(html)![1]!.replaceAll('&amp;', '&')
    expect(href).toBe(`${NEW}?from=USD&to=KES&amount=250`)
    const ada = await newMember()
    const form = (await ada.visitor.get(href)).html
    expect(form).toMatch(/name="from"[^>]* value="USD · The USD"/)
    expect(form).toMatch(/name="amount"[^>]* value="250"/)
    expect(form).toContain('<option value="best_current_net" selected data-needs="amount value"')
    expect(form).toContain('<option value="stale" data-needs="age"')
    const toArrive = await world.visitor().get('/?from=USD&to=KES&recipient_gets=5000')
    expect(BUTTON.exec(toArrive.html)![1]).toBe(`${NEW}?from=USD&amp;to=KES`)
  })

  test('makes anonymous visitors sign in first, and returns them to the form', async () => {
    const { email } = await newMember()
    const visitor = world.visitor()
    const path = `${NEW}?from=USD&to=KES&amount=250`
    const { status, location } = await visitor.get(path)
    expect([status, location]).toEqual([303, `/sign-in?${new URLSearchParams({ next: path })}`])
    expect((await visitor.get(location!)).html).toContain('Alerts belong to an account')
    expect((await visitor.submit(location!, { email, password: PASSWORD })).location).toBe(path)
  })

  test('offers a sign-up to visitors without an account, and returns them too', async () => {
    const path = `${NEW}?from=USD&to=KES`
    const [visitor, email] = [world.visitor(), newEmail()]
    const signIn = (await visitor.get((await visitor.get(path)).location!)).html
    const signUp = /href="(\/sign-up\?[^"]+)"/.exec(signIn)![1]!
    await visitor.submit(signUp, { email, password: PASSWORD })
    const [mail] = (await mails.until(1)).filter((text) => text.includes(email))
    const link = pathOf(/http\S+confirm\S+/.exec(mail!)![0])
    const shown = await visitor.submit(link, { password: PASSWORD })
    expect(shown.html).toContain(`<a class="button" href="${path.replace('&', '&amp;')}">`)
  })
})

describe('an alert', () => {
  test('is created, shown and listed the same way by pages and the API', async () => {
    const ada = await newMember()
    expect(await seen(ada, LIST)).toContain('You have no alerts yet')
    expect(await seen(ada, '/developer')).toContain('You have 0 of the 3 alerts of the free plan.')
    const page = await made(ada, { name: 'Rent', once: 'yes' })
    const shown = await seen(ada, `${page}&said=made`)
    expect(shown).toContain('Alert created.')
    expect(shown).toContain('USD to KES: the best rate rises above 131.5 KES')
    expect(shown).toContain(`${ada.email}, by mail`)
    expect(shown).toContain('once it has notified you')
    expect(shown).toContain('Nothing was sent yet.')
    const [, row] = rowsOf((await ada.visitor.get(LIST)).html)
    expect(row?.slice(1)).toEqual(['on', 'by mail', 'not yet'])
    expect(row?.[0]).toStartWith('Rent')
    const { alerts } = await asked(ada)
    expect(alerts).toMatchObject([{ name: 'Rent', corridor: 'USD/KES', status: 'active' }])
    expect(page).toEndWith(alerts[0]!.id as string)
  })

  test('is created once by a form that is sent twice, and again if a value differs', async () => {
    const ada = await newMember()
    const { hidden } = formsIn((await ada.visitor.get(NEW)).html).find((one) => one.action === NEW)!
    const send = (fields: Record<string, string>) =>
      ada.visitor.post(NEW, { ...hidden, ...FORM, ...fields })
    const hook = { tell: 'webhook', url: HOOK }
    const [first, second] = await Promise.all([send(hook), send(hook)])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(/whsec_[\w+/=]+/.exec(second.html)).toEqual(/whsec_[\w+/=]+/.exec(first.html))
    expect((await asked(ada)).alerts).toHaveLength(1)
    const [third, fourth, full] = [await send({}), await send({ name: 'Rent' }), await send({})]
    expect(full.location).toBe(third.location!)
    expect([fourth.status, (await asked(ada)).alerts.length]).toEqual([303, 3])
    expect((await make(ada)).status).toBe(400)
  })

  test('returns 400 with every error at its field, and the values entered', async () => {
    const ada = await newMember()
    const wrong = { to: 'Narnia', value: 'lots', tell: 'webhook', name: HOSTILE_NAME }
    const { status, html } = await make(ada, wrong)
    expect(status).toBe(400)
    expect(html).toMatch(/id="to-error">[^<]*Narnia/)
    expect(html).toMatch(/id="value-error">[^<]*lots/)
    expect(html).toContain('id="url-error">Write the address of your server.')
    expect(html).toMatch(/name="value"[^>]* value="lots"/)
    expect(html).not.toContain('<script>alert')
    expect((await asked(ada)).alerts).toEqual([])
  })

  test.each([
    ['url', { tell: 'webhook', url: 'https://10.0.0.1/' }],
    ['url', { tell: 'webhook', url: 'http://example.org/' }],
    ['url', { tell: 'webhook', url: 'nonsense' }],
    ['value', { op: 'moves_pct', value: '100000' }],
  ])('returns 400 with the error of the service at %s: %j', async (field, fields) => {
    const ada = await newMember()
    const { status, html } = await make(ada, fields)
    expect(status).toBe(400)
    const [, fault] = new RegExp(`id="${field}-error">([^<]+)<`).exec(html)!
    expect(fault).toMatch(/^[A-Z].*\.$/)
    expect(fault).not.toContain('cannot be used')
  })

  test('returns 400 beyond the alerts of the plan, with the values entered', async () => {
    const ada = await newMember()
    for (let i = 0; i < 3; i++) await made(ada, { value: `13${i}` })
    const { status, html } = await make(ada, { name: 'fourth' })
    expect(status).toBe(400)
    expect(textOf(html)).toContain('The free plan has 3 alerts')
    expect(html).toMatch(/name="name"[^>]* value="fourth"/)
    expect((await asked(ada)).alerts).toHaveLength(3)
  })

  test('is changed in the submitted fields, and in no other', async () => {
    const ada = await newMember()
    const page = await made(ada, { name: 'Rent' })
    const id = page.split('=')[1]!
    const change = `/developer/alert/change?id=${id}`
    const form = (await ada.visitor.get(change)).html
    expect(form).not.toContain('name="from"')
    expect(form).toMatch(/name="value"[^>]* value="131.5"/)
    const fields = { ...FORM, field: 'total_pct', amount: '200', op: 'below', value: '1%' }
    const saved = await ada.visitor.submit(change, { ...fields, name: '' })
    expect(saved.location).toBe(`${page}&said=changed`)
    expect(await seen(ada, page)).toContain('the total cost of sending $200 falls below 1%')
    const wrong = await ada.visitor.submit(change, { ...fields, amount: '' })
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('amount-error')])
    const back = await ada.visitor.submit(change, FORM)
    expect(back.location).toBe(`${page}&said=changed`)
    expect(await seen(ada, page)).toContain('the best rate rises above 131.5 KES')
  })

  test('is paused, switched on again and deleted', async () => {
    const ada = await newMember()
    const page = await made(ada)
    expect((await press(ada, page, 'status')).location).toBe(`${page}&said=paused`)
    expect(await seen(ada, `${page}&said=paused`)).toMatch(/Paused\..*Statepaused/)
    expect((await press(ada, page, 'status')).location).toBe(`${page}&said=active`)
    expect((await asked(ada)).alerts).toMatchObject([{ status: 'active' }])
    const asks = page.replace('/alert?', '/alert/delete?')
    expect(await seen(ada, asks)).toContain('Delete this alert?')
    const { location } = await ada.visitor.submit(asks, {})
    expect(location).toBe('/developer/alerts?said=deleted')
    expect(await seen(ada, location!)).toContain('Alert deleted.')
    expect((await ada.visitor.get(page)).location).toBe(GONE)
    const form_token = await ada.visitor.token(NEW)
    const late = { ...FORM, form_token, id: page.split('=')[1]! }
    expect((await ada.visitor.post('/developer/alert/change', late)).location).toBe(GONE)
    expect(await seen(ada, GONE)).toContain('That alert no longer exists, so nothing was changed.')
  })

  test('belongs to its account alone', async () => {
    const [ada, eve] = [await newMember(), await newMember()]
    const page = await made(ada)
    const id = page.split('=')[1]!
    const form_token = await eve.visitor.token(NEW)
    for (const part of ['', '/change', '/secret', '/delete'])
      expect((await eve.visitor.get(`/developer/alert${part}?id=${id}`)).location).toBe(GONE)
    for (const part of ['change', 'status', 'test', 'secret', 'delete']) {
      const fields = { ...FORM, form_token, id, status: 'paused' }
      expect((await eve.visitor.post(`/developer/alert/${part}`, fields)).location).toBe(GONE)
    }
    expect((await asked(ada)).alerts).toMatchObject([{ status: 'active' }])
  })
})

describe('an alert between countries', () => {
  test('has its countries from the page of the pair to the list', async () => {
    const { html } = await world.visitor().get('/send/united-states-to-kenya?amount=250')
    const href = /<a href="([^"]+)">Tell me when/.exec(html)![1]!.replaceAll('&amp;', '&')
    const ada = await newMember()
    const form = await ada.visitor.get(href)
    expect(form.html).toContain('value="United States · USD"')
    expect(form.html).toContain('value="Kenya · KES"')
    const places = { from: 'United States · USD', to: 'Kenya · KES' }
    const wish = { ...FORM, field: 'best_current_net', amount: '250', value: '30000' }
    const { location } = await make(ada, { ...wish, ...places })
    expect(location).toContain('said=made')
    const [alert] = (await asked(ada)).alerts
    expect(alert).toMatchObject({ source_country: 'US', target_country: 'KE', amount: 250 })
    const page = location!.split('&')[0]!
    expect(await seen(ada, page)).toContain('United States (USD) to Kenya (KES): what arrives')
    const change = page.replace('/alert?', '/alert/change?')
    expect((await ada.visitor.submit(change, { ...wish, value: '31000' })).status).toBe(303)
    const [changed] = (await asked(ada)).alerts
    expect(changed).toMatchObject({ source_country: 'US', when: { value: 31_000 } })
    const refused = await ada.visitor.submit(change, { ...wish, field: 'mid' })
    expect([refused.status, textOf(refused.html)]).toEqual([
      ...[400, expect.stringContaining('Mid is the same for every country; leave it out')],
    ])
  })
})

describe('deliveries', () => {
  type Row = {
    readonly status: string
    readonly nextMs?: number
    readonly lastStatus?: number
    readonly lastError?: string
    readonly lastReply?: string
  }

  /** Tries after which the pause is half an hour: a longer wait would be taken for a clock's fault. */
  const TRIES = 5

  /** Stores the outcome of a delivery. */
  async function kept(page: string, { status, nextMs, ...last }: Row): Promise<void> {
    const atMs = world.clock.now() - 60_000
    const at = new Date(atMs).toISOString()
    const nextAt = new Date(nextMs ?? atMs).toISOString()
    const doneAt = status === 'done' ? at : null
    await world.database.sql`
      insert into alert_deliveries (alert_id, kind, body, created_at, next_at, tries, status,
        last_status, last_error, last_reply, last_ms, done_at)
      values (${page.split('=')[1]!}, 'fired', '{"type":"alert.fired"}', ${at}, ${nextAt}, ${TRIES},
        ${status}, ${last.lastStatus ?? null}, ${last.lastError ?? null},
        ${last.lastReply ?? null}, 1500, ${doneAt})`
  }

  const cells = async (ada: Member, page: string) => {
    const { html } = await ada.visitor.get(page)
    return { html, row: rowsOf(html)[1]?.slice(1, 5) }
  }

  test('show what arrived, and the exact text that was sent', async () => {
    const ada = await newMember()
    const page = await made(ada)
    await kept(page, { status: 'done', lastStatus: 204 })
    const { html, row } = await cells(ada, page)
    expect(row).toEqual([
      'alert',
      expect.stringMatching(/^arrived/),
      '204 after 1.5 s',
      String(TRIES),
    ])
    const french = await cells(ada, `/fr${page}`)
    expect(french.row?.[2]).toBe('204 après 1,5 s')
    expect(textOf(html)).toContain('{"type":"alert.fired"}')
    expect(html).not.toContain('>Look again</a>')
  })

  test('show the response of the mail server', async () => {
    const ada = await newMember()
    const page = await made(ada)
    await kept(page, { status: 'done', lastReply: '250 2.0.0 Ok: queued as 4F' })
    const { row } = await cells(ada, page)
    expect(row?.[2]).toBe('250 2.0.0 Ok: queued as 4F after 1.5 s')
  })

  test('show why a delivery waits, and for how long', async () => {
    const ada = await newMember()
    const { page } = await madeHook(ada)
    const nextMs = world.clock.now() + 1_800_000
    await kept(page, { status: 'waiting', nextMs, lastStatus: 500, lastError: HOSTILE_NAME })
    const { html, row } = await cells(ada, page)
    expect(row?.[1]).toBe('waiting next try in 30 minutes')
    expect(row?.[2]).toStartWith('500 after 1.5 s')
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('>Look again</a>')
  })

  test('show the deliveries that were given up without a response', async () => {
    const ada = await newMember()
    const { page } = await madeHook(ada)
    await kept(page, { status: 'given_up', lastError: 'no answer within 15 s' })
    const { row } = await cells(ada, page)
    expect(row?.slice(1, 3)).toEqual(['given up', 'no answer after 1.5 sno answer within 15 s'])
  })

  test('show the newest hundred', async () => {
    const ada = await newMember()
    const page = await made(ada)
    for (let i = 0; i < 101; i++) await kept(page, { status: 'done', lastStatus: 200 })
    expect(rowsOf((await cells(ada, page)).html)).toHaveLength(1 + 100)
  })

  test('return 400 to an eleventh test within an hour', async () => {
    const ada = await newMember()
    const { page } = await madeHook(ada)
    for (let i = 0; i < 10; i++) expect((await press(ada, page, 'test')).status).toBe(303)
    const { status, html } = await press(ada, page, 'test')
    expect([status, textOf(html)]).toEqual([
      ...[400, expect.stringContaining('An account sends 10 tests an hour')],
    ])
  })
})

describe('the cost of alerts on pages', () => {
  const used = async ({ key }: Member) => {
    const reply = await fetch(`${world.origin}/api/v1/admin/usage`, {
      headers: { 'x-api-key': key! },
    })
    return ((await reply.json()) as { used: number }).used
  }

  test('is a unit each to create, change, switch and test one, and nothing for an error', async () => {
    const ada = await newMember()
    expect((await make(ada, { value: '' })).status).toBe(400)
    expect(await used(ada)).toBe(0)
    const { page } = await madeHook(ada)
    expect(await used(ada)).toBe(1)
    expect((await press(ada, page, 'test')).status).toBe(303)
    expect((await press(ada, page, 'status')).status).toBe(303)
    expect(await used(ada)).toBe(3)
    const deletion = page.replace('/alert?', '/alert/delete?')
    expect((await ada.visitor.submit(deletion, {})).status).toBe(303)
    expect(await used(ada)).toBe(3)
  })

  test('returns 400 at the end of the budget, and at the limit of changes an hour', async () => {
    const ada = await newMember()
    const headers = { 'x-api-key': ada.key! }
    for (let i = 0; i < 20; i++) {
      const path = await made(ada)
      await ada.visitor.submit(path.replace('/alert?', '/alert/delete?'), {})
    }
    const often = await make(ada)
    expect([often.status, textOf(often.html)]).toEqual([
      ...[400, expect.stringContaining('An account makes and changes 20 alerts an hour')],
    ])
    world.clock.advance(3_600_000)
    const { page } = await madeHook(ada)
    for (let i = await used(ada); i < 50; i++)
      await fetch(`${world.origin}/api/v1/providers`, { headers })
    for (const { status, html } of [await make(ada), await press(ada, page, 'test')])
      expect([status, textOf(html)]).toEqual([
        ...[400, expect.stringContaining("All 50 requests of today's free plan are used")],
      ])
  })
})

describe('a secret', () => {
  test('is shown once, and replaced on request', async () => {
    const ada = await newMember()
    const { secret, page } = await madeHook(ada)
    expect((await ada.visitor.get(page)).html).not.toContain(secret)
    const asks = page.replace('/alert?', '/alert/secret?')
    expect(await seen(ada, asks)).toContain('The current secret also signs for a day')
    const { html, status } = await ada.visitor.submit(asks, {})
    const next = /whsec_[A-Za-z0-9+/=]+/.exec(html)![0]
    expect([status, next === secret]).toEqual([200, false])
    expect(textOf(html)).toContain('The old one also signs until')
    expect((await ada.visitor.get(page)).html).not.toContain(next)
  })

  test('returns 400 for an alert sent by email', async () => {
    const ada = await newMember()
    const page = await made(ada)
    const form_token = await ada.visitor.token(page)
    const fields = { form_token, id: page.split('=')[1]! }
    const { status, html } = await ada.visitor.post('/developer/alert/secret', fields)
    expect([status, textOf(html)]).toEqual([400, expect.stringContaining('mails have no secret')])
  })
})

describe('a service without email', () => {
  test('offers webhooks alone, and says why', async () => {
    const ada = await entrance.member()
    const { html } = await ada.visitor.get(NEW)
    expect(html).not.toContain('value="email"')
    expect(html).toContain('This service sends no email')
    const { status, html: refused } = await make(ada, {})
    expect([status, refused]).toEqual([400, expect.stringContaining('id="tell-error"')])
  })
})
