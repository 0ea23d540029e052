import { describe, expect, test } from 'bun:test'
import {
  ACCESS_TOKEN_PREFIX,
  connectionHash,
  isConnection,
  keyHashOf,
  newSecret,
} from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import { AccessTokens, callerOfTools, type HeldToken } from '~/service/connection/access-tokens.ts'
import { toolsChallenge } from '~/wire/challenge.ts'
import { World } from '../../support/world.ts'

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const HOUR_MS = 3_600_000

/** A world with one connected application. */
class Connected {
  readonly world = new World()
  readonly account = this.world.account('free')
  readonly secret = newSecret(random)
  readonly token = ACCESS_TOKEN_PREFIX + this.secret
  readonly key = {
    ...{ id: crypto.randomUUID(), accountId: this.account.id, name: 'Agent' },
    ...{ hash: connectionHash(random), lastFour: null, revokedMs: null as number | null },
  }
  readonly stored = new Map<string, HeldToken>()
  readonly asked: string[] = []
  readonly tokens = new AccessTokens({
    memory: this.world.memory,
    clock: this.world.clock,
    load: async (hash) => {
      this.asked.push(hash)
      return this.stored.get(hash) ?? null
    },
  })

  constructor() {
    this.publish()
    const expiresMs = this.world.clock.now() + HOUR_MS
    this.stored.set(keyHashOf(this.secret), { keyHash: this.key.hash, expiresMs })
  }

  publish(revokedMs: number | null = null): void {
    const keys = [{ ...this.key, revokedMs }]
    this.world.memory.publish({ access: { accounts: [], keys } }, this.world.clock.now())
  }

  ask = (token = this.token) => this.tokens.callerOf(token, this.world.clock.now())

  async code(token = this.token): Promise<string | null> {
    const caller = await this.ask(token)
    return caller instanceof ServiceError ? caller.code : null
  }
}

describe('AccessTokens', () => {
  test('the caller is the account behind the connection, looked up once', async () => {
    const held = new Connected()
    const caller = await held.ask()
    expect(caller).toMatchObject({ key: { name: 'Agent' }, account: { id: held.account.id } })
    expect(held.ask()).toBe(caller)
    expect(held.asked).toEqual([keyHashOf(held.secret)])
  })

  test('a token is refused from the moment it expires', async () => {
    const held = new Connected()
    await held.ask()
    held.world.clock.advance(HOUR_MS - 1)
    expect(await held.code()).toBeNull()
    held.world.clock.advance(1)
    expect(await held.code()).toBe('invalid_key')
  })

  test('a connection that ended is refused without another look-up in vain', async () => {
    const held = new Connected()
    await held.ask()
    held.publish(held.world.clock.now())
    expect(await held.code()).toBe('revoked_key')
  })

  test('news of the account has a token looked up again, which finds it deleted', async () => {
    const held = new Connected()
    await held.ask()
    held.stored.clear()
    expect(await held.code()).toBeNull()
    held.publish()
    expect(await held.code()).toBe('invalid_key')
    expect(held.asked.length).toBe(2)
  })

  test('what news outran is not remembered', async () => {
    const held = new Connected()
    const asking = held.ask()
    held.publish()
    expect(await asking).not.toBeInstanceOf(ServiceError)
    await held.ask()
    expect(held.asked.length).toBe(2)
  })

  test.each([
    ['without its end', (token: string) => token.slice(0, -1)],
    ['with a letter changed', (token: string) => `${token.slice(0, -1)}~`],
    ['of another issuer', () => `${ACCESS_TOKEN_PREFIX}${'x'.repeat(40)}`],
    ['of a megabyte', () => ACCESS_TOKEN_PREFIX + 'x'.repeat(1_000_000)],
  ])('a token %s is refused without a look-up', async (_, changed) => {
    const held = new Connected()
    expect(await held.code(changed(held.token))).toBe('invalid_key')
    expect(held.asked).toEqual([])
  })

  test('made-up tokens are looked up 200 times in two seconds, then answered 503', async () => {
    const held = new Connected()
    const codes = await Promise.all(
      Array.from({ length: 300 }, () => held.code(ACCESS_TOKEN_PREFIX + newSecret(random))),
    )
    expect(codes.filter((code) => code === 'invalid_key').length).toBe(200)
    expect(codes.filter((code) => code === 'overloaded').length).toBe(100)
    held.world.clock.advance(2000)
    expect(await held.code()).toBeNull()
  })

  test('503 when the database is away, and the token is not taken for a wrong one', async () => {
    const { world, token } = new Connected()
    const load = () => Promise.reject(new ServiceError('database_unavailable', 'away'))
    const tokens = new AccessTokens({ memory: world.memory, clock: world.clock, load })
    await expect(tokens.callerOf(token, world.clock.now()) as Promise<unknown>).rejects.toThrow(
      'away',
    )
  })
})

describe('callerOfTools', () => {
  test('takes keys and tokens; keys are looked up as everywhere', async () => {
    const { world, tokens, token, account } = new Connected()
    const access = { memory: world.memory, tokens }
    const nowMs = world.clock.now()
    for (const shown of [token, account.key])
      expect(await callerOfTools(access, shown, nowMs)).toMatchObject({
        account: { id: account.id },
      })
    expect(await callerOfTools(access, null, nowMs)).toMatchObject({ code: 'missing_key' })
  })
})

describe('the API', () => {
  test('401 to a token, which says to use a key', async () => {
    const { world, token } = new Connected()
    const { status, body } = await world.get('/providers', undefined, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([status, body.code]).toEqual([401, 'invalid_key'])
    expect(body.error).toContain('takes a key')
  })
})

describe('connectionHash', () => {
  test('fits its column, is told from the hash of a key, and no text hashes to it', () => {
    const hash = connectionHash(random)
    expect(hash).toHaveLength(64)
    expect(isConnection({ hash })).toBe(true)
    expect(isConnection({ hash: keyHashOf('crd_x') })).toBe(false)
    expect(hash).not.toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('toolsChallenge', () => {
  const METADATA = 'https://fx.example/.well-known/oauth-protected-resource/mcp'

  test('names the metadata first, and a fault only where something was shown', () => {
    expect(toolsChallenge({ isShown: false, metadataUrl: METADATA })).toBe(
      `Bearer realm="corridor", scope="mcp", resource_metadata="${METADATA}", ` +
        'ApiKey realm="corridor"',
    )
    expect(toolsChallenge({ isShown: true, metadataUrl: METADATA })).toStartWith(
      'Bearer realm="corridor", error="invalid_token", scope="mcp"',
    )
  })
})
