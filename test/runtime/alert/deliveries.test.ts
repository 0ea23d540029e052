import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { loadConfig } from '~/config.ts'
import type { Account } from '~/domain/account.ts'
import type { Alert, Destination } from '~/domain/alert/alert.ts'
import { type Service, startService } from '~/runtime/service.ts'
import { createAlert } from '~/service/alert/create.ts'
import { rotateSecret } from '~/service/alert/rotate.ts'
import { newWebhookSecret, sealBy } from '~/webhook/secrets.ts'
import { AlertWorld, WISH } from '../../service/alert/alert-world.ts'
import { databasesOfFile, stockedDatabase } from '../../store/samples.ts'
import { KeptLog } from '../../support/log.ts'
import { MailSink } from '../../support/mail-sink.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { type Received, receiver } from '../../support/receivers.ts'
import { until } from '../../support/until.ts'

const AUTH_SECRET = 'a-secret-that-all-replicas-have-0'
const HOME = 'https://rates.example.org/fx'
const EMAIL = 'ada@example.org'

const openDatabase = databasesOfFile(stockedDatabase)
const mails = new MailSink()
const seal = sealBy(async () => AUTH_SECRET, randomBytes)
let database: FreshDatabase
let world: AlertWorld
let account: Account
let service: Service

const start = () =>
  startService({
    config: loadConfig({
      ...{ PORT: '0', REFERENCE_FEED: 'none', SHUTDOWN_DELAY: 'off', AUTH_SECRET },
      ...{ SMTP_URL: mails.url, MAIL_FROM: 'Corridor <corridor@example.org>', PUBLIC_URL: HOME },
      WEBHOOK_ALLOW: '127.0.0.1',
    }),
    ...{ clock: { now: () => Date.now() }, log: new KeptLog(), sample: null },
    database: { ...database, close: async () => {} },
  })

beforeAll(async () => {
  database = await openDatabase()
  world = new AlertWorld(database, {
    clock: { now: () => Date.now() },
    secrets: {
      async make() {
        const text = newWebhookSecret(randomBytes)
        return { text, sealed: await seal.sealed(text) }
      },
      opened: (sealed) => seal.opened(sealed),
    },
  })
  account = await world.account('pro')
  await database.sql`insert into portal_users
    (id, name, email, email_verified, created_at, updated_at, account_id)
    values ('ada', ${EMAIL}, ${EMAIL}, true, now(), now(), ${account.id})`
  service = await start()
})
afterEach(async () => {
  await database.sql`delete from alerts`
})
afterAll(async () => {
  await service.stop()
  mails.stop()
})

const alertTo = (to: Destination, name: string | null = null) =>
  createAlert(world.deps, { account, wish: { ...WISH, to, name } })

const firedBody = JSON.stringify({
  type: 'alert.fired',
  timestamp: '2026-03-05T14:25:30.500Z',
  data: {
    corridor: 'USD/KES',
    field: 'best',
    value: 131.25,
    previous: 129.5,
    as_of: '2026-03-05T14:00:00.000Z',
    data_freshness: 'hourly',
  },
})

const fire = async ({ id: alertId }: Alert, kind: 'fired' | 'test' = 'fired') =>
  (await world.deps.deliveries.add({
    ...{ id: crypto.randomUUID(), alertId, kind, body: firedBody },
    nowMs: Date.now(),
  }))!

const known = (alert: Alert) => world.deps.alerts.find(account.id, alert.id)
const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers)

describe('a webhook', () => {
  test('is signed so that a receiver with standardwebhooks alone verifies it', async () => {
    using to = receiver()
    const { alert, secret } = await alertTo({ kind: 'webhook', url: to.url })
    const { id } = await fire(alert)
    const [got] = await to.until(1)
    expect(verified(secret!, got!)).toEqual(JSON.parse(firedBody))
    expect(got!.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
    expect(got!.headers['user-agent']).toStartWith('Corridor/')
    await until('it is done', async () => {
      const [one] = await world.deps.deliveries.list(alert.id)
      return one!.status === 'done'
    })
  })

  test('is signed by the old secret too, until a day after a new one was created', async () => {
    using to = receiver()
    const { alert, secret } = await alertTo({ kind: 'webhook', url: to.url })
    const fresh = await rotateSecret(world.deps, { account, alertId: alert.id })
    await fire(alert)
    const [first] = await to.until(1)
    for (const one of [secret!, fresh.secret]) expect(verified(one, first!)).toBeTruthy()
    await database.sql`update alerts set old_secret_ends_at = now() - interval '1 second'`
    await fire(alert)
    const [, second] = await to.until(2)
    expect(verified(fresh.secret, second!)).toBeTruthy()
    expect(() => verified(secret!, second!)).toThrow('No matching signature')
  })

  test('reports a secret that was stored under another AUTH_SECRET, and is not sent unsigned', async () => {
    using to = receiver()
    const { alert } = await alertTo({ kind: 'webhook', url: to.url })
    const other = sealBy(async () => 'another secret of the service', randomBytes)
    await database.sql`update alerts set secret = ${await other.sealed('whsec_AAAA')}`
    await fire(alert, 'test')
    await until('it was tried', async () => {
      const [one] = await world.deps.deliveries.list(alert.id)
      return one!.lastError === 'its secret cannot be read; make a new one'
    })
    expect(to.got).toHaveLength(0)
  })

  test('waits for a receiver that was unreachable, across a restart of the service', async () => {
    let isAway = true
    using to = receiver(() => new Response('', { status: isAway ? 503 : 204 }))
    const { alert } = await alertTo({ kind: 'webhook', url: to.url })
    const { id } = await fire(alert)
    await to.until(1)
    await service.stop()
    isAway = false
    service = await start()
    const [first, second] = await to.until(2)
    expect([first, second].map((got) => got!.headers['webhook-id'])).toEqual([id, id])
  })
})

describe('an email of an alert', () => {
  /** The link in the text of an email, with the address of this machine. */
  function linkIn(mail: string): string {
    const [link] = [
      ...mail.matchAll(/https:\/\/rates\.example\.org\/fx\/alerts\/end\?[\w.=-]+/g),
    ].at(-1)!
    return link.replace(HOME, service.origin)
  }

  test('describes the event, and ends the alert by its link without a session', async () => {
    const { alert } = await alertTo({ kind: 'email' })
    const before = mails.mails.length
    await fire(alert)
    const mail = (await mails.until(before + 1)).at(-1)!
    expect(mail).toContain(`To: ${EMAIL}`)
    expect(mail).toContain('the best rate rises above 130 KES.')
    expect(mail).toContain('It is 131.25 KES; before, it was 129.50 KES.')
    expect(mail).toContain('Your plan sees prices once an hour.')
    expect(mail).toMatch(/List-Unsubscribe:\s+<https:\/\/rates\.example\.org\/fx\/alerts\/end\?/)
    expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    await until('what the mail server said is kept', async () => {
      const [one] = await world.deps.deliveries.list(alert.id)
      return one!.lastReply === '250 kept' && one!.status === 'done'
    })
    const link = linkIn(mail)
    const asked = await fetch(link)
    expect(asked.status).toBe(200)
    expect(await asked.text()).toContain('End this alert?')
    expect((await known(alert))!.status).toBe('active')
    for (let i = 0; i < 2; i++) {
      const ended = await fetch(link, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: 'https://mail.example',
        },
        body: 'List-Unsubscribe=One-Click',
      })
      expect(ended.status).toBe(200)
      expect(await ended.text()).toContain('This alert is ended')
    }
    expect(await known(alert)).toMatchObject({
      status: 'ended',
      reason: 'it was ended by the link in a mail',
    })
  })

  test('ends nothing by a link that is of another alert, forged, cut or of a deleted one', async () => {
    const [{ alert: one }, { alert: two }] = [
      await alertTo({ kind: 'email' }),
      await alertTo({ kind: 'email' }),
    ]
    const before = mails.mails.length
    await fire(one)
    const link = linkIn((await mails.until(before + 1)).at(-1)!)
    const wrong = [
      link.replace(one.id, two.id),
      link.slice(0, -1),
      `${link}x`,
      `${service.origin}/alerts/end`,
      `${service.origin}/alerts/end?token=${two.id}`,
      `${service.origin}/alerts/end?token=${two.id}.`,
      `${service.origin}/alerts/end?token=%00`,
    ]
    for (const url of wrong)
      for (const method of ['GET', 'POST']) expect((await fetch(url, { method })).status).toBe(404)
    expect((await known(two))!.status).toBe('active')
    await database.sql`delete from alerts where id = ${one.id}`
    expect((await fetch(link)).status).toBe(404)
  })

  test('is sent to the owner of a webhook that is gone', async () => {
    using to = receiver(() => new Response('', { status: 410 }))
    const { alert } = await alertTo({ kind: 'webhook', url: to.url }, 'School fees')
    const before = mails.mails.length
    await fire(alert)
    const mail = (await mails.until(before + 1)).at(-1)!
    expect(mail).toContain('Your alerts to an address were switched off')
    expect(mail).toContain(
      `Nothing more is sent to ${to.url}: the address answered 410: it is gone.`,
    )
    expect(mail).toContain('These alerts are switched off: School fees.')
    expect(await known(alert)).toMatchObject({ status: 'failing' })
  })
})
