import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { StreamTokens } from '~/service/stream/tokens.ts'
import { EventReader } from '../../support/event-reader.ts'
import { KeptLog } from '../../support/log.ts'
import { World } from '../../support/world.ts'
import { LiveServer } from '../live-server.ts'

let server: LiveServer

beforeEach(() => {
  server = new LiveServer()
  server.world.quote({ providerId: 'retail-a', rate: 128 })
})
afterEach(async () => {
  server.world.streams.open.stop()
  await server.stop()
})

const asked = (path: string, init: RequestInit = {}) =>
  fetch(`${server.origin}/api/v1${path}`, init)

const issued = (key?: string) =>
  asked('/stream/token', { method: 'POST', headers: key === undefined ? {} : { 'x-api-key': key } })

const tokenOf = async (key: string): Promise<string> => (await (await issued(key)).json()).token

const connected = (token: string, init?: RequestInit) =>
  asked(`/stream?corridors=USD/KES&token=${token}`, init)

const refusal = async (reply: Response) => [reply.status, (await reply.json()).code]

const INVALID = [401, 'invalid_token']

describe('POST /stream/token', () => {
  test('returns 200 with a token that costs nothing and opens streams for two minutes', async () => {
    const { id, key } = server.world.account('pro')
    const reply = await issued(key)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store, no-transform')
    const { token, expires_at } = await reply.json()
    expect(expires_at).toBe('2026-03-05T14:27:30.500Z')
    const day = Math.floor(server.world.clock.now() / 86_400_000)
    expect(server.world.meter.used(id, day)).toBe(0)
    server.world.clock.advance(119_999)
    for (let i = 0; i < 3; i++) {
      const reader = new EventReader(await connected(token))
      expect((await reader.event('hello')).data.tier).toBe('hourly')
    }
    expect(server.world.meter.used(id, day)).toBe(3)
    server.world.clock.advance(1)
    expect(await refusal(await connected(token))).toEqual(INVALID)
  })

  test('returns 401 without a key, and with a token instead', async () => {
    expect(await refusal(await issued())).toEqual([401, 'missing_key'])
    const token = await tokenOf(server.world.key())
    expect(await refusal(await issued(token))).toEqual([401, 'invalid_key'])
  })
})

describe('a token', () => {
  test('returns 401 once its key is revoked, and a stream that it opened ends with the key', async () => {
    const { id, key } = server.world.account('pro')
    const token = await tokenOf(key)
    const reader = new EventReader(await connected(token))
    await reader.event('hello')
    const { memory, clock } = server.world
    const keys = memory.current.keys.keysOf(id).map((own) => ({ ...own, revokedMs: clock.now() }))
    memory.publish({ access: { accounts: [], keys } }, clock.now())
    expect(await refusal(await connected(token))).toEqual([401, 'revoked_key'])
    await reader.over
    expect(reader.events.at(-1)!.data.code).toBe('revoked_key')
  })

  test('returns 401 if any part of it is changed, missing or repeated', async () => {
    const key = server.world.key()
    const token = await tokenOf(key)
    const changed = [...token].map((letter, i) =>
      i < 4 ? '' : token.slice(0, i) + (letter === 'A' ? 'B' : 'A') + token.slice(i + 1),
    )
    for (const wrong of ['', 'crs_', 'x', token.slice(0, -1), `${token}A`, ...changed])
      if (wrong && !isSame(wrong, token))
        expect([wrong, ...(await refusal(await connected(wrong)))]).toEqual([wrong, ...INVALID])
    expect(await refusal(await connected(''))).toEqual(INVALID)
    expect(await refusal(await connected(`${token}&token=${token}`))).toEqual(INVALID)
    const both = await connected(token, { headers: { 'x-api-key': key } })
    expect(await refusal(both)).toEqual(INVALID)
  })

  test('is accepted by every process that has the secret, and by no other', async () => {
    const { id, keyId } = server.world.account('pro')
    const [one, two, other] = ['a secret', 'a secret', 'another'].map(
      (secret) => new StreamTokens(async () => secret),
    )
    const nowMs = server.world.clock.now()
    const { token } = await one!.issued({ id: keyId, accountId: id }, nowMs)
    const { keys } = server.world.memory.current
    expect(await two!.callerOf(keys, token, nowMs)).toMatchObject({ key: { id: keyId } })
    expect(await other!.callerOf(keys, token, nowMs)).toMatchObject({ code: 'invalid_token' })
  })

  test('is accepted by a process whose clock is a little behind, and not by one far behind', async () => {
    const { id, keyId } = server.world.account('pro')
    const tokens = new StreamTokens(async () => 'a secret')
    const nowMs = server.world.clock.now()
    const { token } = await tokens.issued({ id: keyId, accountId: id }, nowMs)
    const { keys } = server.world.memory.current
    const behind = (ms: number) => tokens.callerOf(keys, token, nowMs - ms)
    for (const ms of [1, 60_000]) expect(await behind(ms)).toMatchObject({ key: { id: keyId } })
    expect(await behind(60_001)).toMatchObject({ code: 'invalid_token' })
  })

  test('returns 503 if the secret is not available', async () => {
    const tokens = new StreamTokens(() => Promise.reject(new Error('away')))
    const asking = tokens.issued({ id: crypto.randomUUID(), accountId: crypto.randomUUID() }, 0)
    expect(asking).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('is never logged, even if every request is', async () => {
    const log = Object.assign(new KeptLog(), { isLevelEnabled: () => true })
    const world = new World({ log })
    const token = await tokenOf(server.world.key())
    for (const path of ['/stream?corridors=USD/KES&token=', '/rates?from=USD&to=KES&token='])
      expect((await world.get(path + token)).status).toBe(401)
    expect(log.lines).toHaveLength(2)
    expect(JSON.stringify(log.lines)).not.toContain(token.slice(0, 12))
  })
})

/** Reports whether two strings encode the same bytes: the last letter has unused bits. */
const isSame = (one: string, two: string) =>
  Buffer.from(one.slice(4), 'base64url').equals(Buffer.from(two.slice(4), 'base64url'))
