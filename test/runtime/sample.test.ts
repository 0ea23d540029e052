import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SAMPLE_BANNER, SAMPLE_MARK } from '~/domain/sample.ts'
import { sampleReferences } from '~/sample/sample.ts'
import { holdsSample } from '~/store/reference-store.ts'
import { PeopleWorld, pathOf } from '../portal/people-world.ts'
import { otherHandle, stockedDatabase } from '../store/samples.ts'
import { MailSink } from '../support/mail-sink.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { addAccount } from './replica-scene.ts'

const PAGES = ['/', '/corridors', '/send', '/providers', '/methodology', '/docs', '/sign-in']
const PAIR = '/send/united-states-to-kenya'
const EMBED = '/embed?source=US&target=KE'

let database: FreshDatabase
let mails: MailSink

/** A process that serves the database as `corridor serve` does, not configured as a sample. */
const serving = () =>
  PeopleWorld.on(
    { ...otherHandle(database), url: database.url },
    {
      ...{ SMTP_URL: mails.url, MAIL_FROM: 'corridor@example.org' },
      ...{ PUBLIC_URL: 'http://c.example', WEBHOOK_ALLOW: '127.0.0.1' },
    },
  )

const htmlOf = async (world: PeopleWorld, path: string) => (await world.visitor().get(path)).html

async function apiOf(world: PeopleWorld, path: string) {
  const headers = { 'x-api-key': await keyFor(world) }
  return (await fetch(`${world.origin}/api/v1${path}`, { headers })).json() as Promise<
    Record<string, unknown>
  >
}

/** The key of a person who signs up through the link in an email. */
async function keyFor(world: PeopleWorld): Promise<string> {
  const [visitor, before] = [world.visitor(), mails.mails.length]
  const [email, password] = [`${crypto.randomUUID()}@example.com`, 'correct horse battery']
  await visitor.submit('/sign-up', { email, password })
  const mail = (await mails.until(before + 1)).at(-1)!
  lastMail = mail
  const [link] = /http:\/\/c\.example\/\S+/.exec(mail)!
  const { html } = await visitor.submit(pathOf(link), { password })
  return /crd_\w+/.exec(html)![0]
}

let lastMail = ''

beforeAll(async () => {
  mails = new MailSink()
  database = await stockedDatabase()
  await database.sql`
    insert into corridors (source, target) values ('USD', 'KES')
    on conflict do nothing`
}, 120_000)

afterAll(() => mails.stop())

describe('a database without the sample', () => {
  test('is served without a mention of it', async () => {
    expect(await holdsSample(database.sql)).toBe(false)
    const world = await serving()
    try {
      for (const path of [...PAGES, PAIR, EMBED])
        expect([path, await htmlOf(world, path)]).toEqual([
          ...[path, expect.not.stringMatching(/sample prices/i)],
        ])
      expect(await apiOf(world, '/currencies')).not.toHaveProperty('sample')
      expect(lastMail).not.toContain(SAMPLE_BANNER)
    } finally {
      await world.stop()
    }
  }, 120_000)
})

describe('a database that the sample was ever loaded into', () => {
  test('is labelled by every process that serves it, among newer real references too', async () => {
    const marked = new TextDecoder().decode((await sampleReferences(3).getReader().read()).value)
    expect(marked).toContain('fetched_at')
    await database.sql`
      insert into reference_snapshots (source, fetched_at)
      values (${`feed${SAMPLE_MARK}3 days)`}, now() - interval '400 days'), ('ecb', now())`
    for (const world of [await serving(), await serving()])
      try {
        for (const path of [...PAGES, PAIR]) {
          const html = await htmlOf(world, path)
          const [, body = ''] = html.split(/<body[^>]*>/)
          expect([path, body.indexOf(SAMPLE_BANNER)]).toEqual([path, expect.any(Number)])
          expect(body.slice(0, 400)).toContain(SAMPLE_BANNER)
        }
        expect(await htmlOf(world, EMBED)).toContain(SAMPLE_BANNER)
        const described = /name="description" content="([^"]+)"/.exec(await htmlOf(world, PAIR))
        expect(described![1]).toStartWith(SAMPLE_BANNER)
        expect(await apiOf(world, '/currencies')).toMatchObject({ sample: true })
        expect(lastMail).toContain(SAMPLE_BANNER)
        const status = await (await fetch(`${world.origin}/api/v1/status`)).json()
        expect(status).toMatchObject({ sample: expect.stringContaining('sample data') })
      } finally {
        await world.stop()
      }
  }, 120_000)

  test('is marked in webhooks, tests and firings', async () => {
    const world = await serving()
    try {
      const { keys } = await addAccount(database, { role: 'treasury' })
      const headers = { 'x-api-key': keys[0]!, 'content-type': 'application/json' }
      const post = async (path: string, body: object) => {
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        const reply = await fetch(`${world.origin}/api/v1${path}`, init)
        expect([path, reply.status < 300]).toEqual([path, true])
        return reply.json() as Promise<{ id: string }>
      }
      const price = { provider_id: 'retail-a', from: 'USD', to: 'KES' }
      const when = { field: 'best', op: 'above', value: 130 }
      await post('/rates', { ...price, rate: 129 })
      const to = { webhook: 'http://127.0.0.1:9/hook' }
      const { id } = await post('/alerts', { corridor: 'USD/KES', when, to })
      await post(`/alerts/${id}/test`, {})
      await post('/rates', { ...price, rate: 131 })
      const sent = () => database.sql<{ kind: string; sample: string }[]>`
        select kind, body::json ->> 'sample' as sample from alert_deliveries
        where alert_id = ${id} order by kind`
      await until('the firing is sent', async () => (await sent()).length === 2)
      expect((await sent()).map(({ sample }) => sample)).toEqual(['true', 'true'])
    } finally {
      await world.stop()
    }
  }, 120_000)

  test('has the mark that the sample loads first', async () => {
    const text = await new Response(sampleReferences(3)).text()
    const rows = text.trimEnd().split('\n').slice(1)
    expect(rows.every((row) => row.includes(`${SAMPLE_MARK}3 days)`))).toBe(true)
  })
})
