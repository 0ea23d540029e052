import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CONSENT_DAYS } from '~/domain/api-key.ts'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import { PeopleWorld } from '../people-world.ts'
import { Application, asked } from './application.ts'

let world: PeopleWorld
let other: PeopleWorld

beforeAll(async () => {
  world = await PeopleWorld.start()
  other = await PeopleWorld.on(world.database)
}, 120_000)

afterAll(async () => {
  await other.stop()
  await world.stop()
}, 120_000)

const ROUNDS = 10

type Answer = Awaited<ReturnType<Application['exchange']>>

const outcomeOf = ({ status, body }: Answer) => `${status} ${body.error ?? 'tokens'}`

/** Ten concurrent uses of one code or token, split between two replicas. */
async function together(use: (at: Application) => Promise<Answer>, application: Application) {
  const elsewhere = new Application(other, application.clientId)
  const places = Array.from({ length: 10 }, (_, i) => (i % 2 ? elsewhere : application))
  const answers = await Promise.all(places.map((at) => use(at)))
  for (const replica of [world, other]) replica.clock.advance(MINUTE_MS)
  return answers.map(outcomeOf).sort()
}

const ONE_OF_TEN = ['200 tokens', ...Array(9).fill('400 invalid_grant')]

describe('concurrent uses at two replicas', () => {
  test('of one code: one gets tokens, and all others are refused', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const verifier = { code_verifier: application.verifier }
    for (let i = 0; i < ROUNDS; i++) {
      const code = await application.code(visitor)
      expect(await together((at) => at.exchange(code, verifier), application)).toEqual(ONE_OF_TEN)
    }
  }, 120_000)

  test('of one refresh token: one gets tokens, and all others are refused', async () => {
    const member = await world.member()
    const application = await Application.registered(world)
    for (let i = 0; i < ROUNDS; i++) {
      const { refresh_token } = await application.tokens(member)
      expect(await together((at) => at.renew(refresh_token), application)).toEqual(ONE_OF_TEN)
    }
  }, 120_000)

  test('of many codes: all get tokens', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const codes: string[] = []
    for (let i = 0; i < 30; i++) codes.push(await application.code(visitor))
    const answers = await Promise.all(codes.map((code) => application.exchange(code)))
    expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['200 tokens']))
  })

  test("that end each other's tokens are refused, without an internal error", async () => {
    const member = await world.member()
    const application = await Application.registered(world)
    for (let i = 0; i < ROUNDS; i++) {
      const old = await application.tokens(member)
      const next = (await application.renew(old.refresh_token)).body as typeof old
      const answers = await Promise.all([
        application.renew(next.refresh_token),
        new Application(other, application.clientId).renew(old.refresh_token),
      ])
      for (const answer of answers)
        expect(['200 tokens', '400 invalid_grant']).toContain(outcomeOf(answer))
      world.clock.advance(MINUTE_MS)
    }
  }, 120_000)
})

describe('an authorization code', () => {
  test('is valid for ten minutes', async () => {
    const { visitor } = await world.member()
    const application = await Application.registered(world)
    const code = await application.code(visitor)
    const { sql } = world.database
    const [row] = await sql`
      select id, extract(epoch from expires_at - now())::float8 as seconds
      from portal_verifications order by created_at desc limit 1`
    expect(row!.seconds).toBeGreaterThan(9 * 60)
    expect(row!.seconds).toBeLessThanOrEqual(10 * 60)
    await sql`update portal_verifications set expires_at = now() where id = ${row!.id}`
    expect(outcomeOf(await application.exchange(code))).toBe('400 invalid_grant')
  })
})

describe('a consent', () => {
  /** Backdates the person's consent to the application by that time. */
  const allowedBefore = (clientId: string, ms: number) => {
    const at = new Date(world.clock.now() - ms).toISOString()
    return world.database.sql`
      update oauth_consents set updated_at = ${at} where client_id = ${clientId}`
  }

  test('ends refreshes after 180 days, whatever the use, until it is given again', async () => {
    const member = await world.member()
    const application = await Application.registered(world)
    let tokens = await application.tokens(member)
    await allowedBefore(application.clientId, CONSENT_DAYS * DAY_MS - MINUTE_MS)
    const renewed = await application.renew(tokens.refresh_token)
    expect(renewed.status).toBe(200)
    tokens = renewed.body as typeof tokens
    await allowedBefore(application.clientId, CONSENT_DAYS * DAY_MS)
    const late = await application.renew(tokens.refresh_token)
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    expect(late.body.error_description).toContain('more than 180 days ago')
    const again = await application.tokens(member)
    expect((await application.renew(again.refresh_token)).status).toBe(200)
  })

  test('ends access too: no token outlives it', async () => {
    const member = await world.member()
    const application = await Application.registered(world)
    const { access_token } = await application.tokens(member)
    await allowedBefore(application.clientId, CONSENT_DAYS * DAY_MS - MINUTE_MS)
    expect((await asked(world, access_token)).status).toBe(200)
    world.clock.advance(MINUTE_MS)
    expect((await asked(world, access_token)).status).toBe(401)
  })
})
