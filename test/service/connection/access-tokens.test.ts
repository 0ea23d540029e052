import { describe, expect, test } from 'bun:test'
import {
  ACCESS_TOKEN_PREFIX,
  connectionHash,
  isConnection,
  isMarked,
  keyHashOf,
  newMarkedSecret,
  newSecret,
} from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import { AccessTokens, callerOfTools, type HeldToken } from '~/service/connection/access-tokens.ts'
import { toolsChallenge } from '~/wire/challenge.ts'
import { World } from '../../support/world.ts'

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const HOUR_MS = 3_600_000
const SIGNING = 'a secret of the service'
const marked = () => ACCESS_TOKEN_PREFIX + newMarkedSecret(random, SIGNING)
const forged = () => ACCESS_TOKEN_PREFIX + newSecret(random)

/** A world with one connected application. */
class Connected {
  readonly world = new World()
  readonly account = this.world.account('free')
  readonly token: string
  readonly secret: string
  readonly key = {
    ...{ id: crypto.randomUUID(), accountId: this.account.id, name: 'Agent' },
    ...{ hash: connectionHash(random), lastFour: null, revokedMs: null as number | null },
  }
  readonly stored = new Map<string, HeldToken>()
  readonly asked: string[] = []
  whileLoading = () => {}
  readonly tokens = new AccessTokens({
    memory: this.world.memory,
    clock: this.world.clock,
    load: async (hash) => {
      this.asked.push(hash)
      this.whileLoading()
      return this.stored.get(hash) ?? null
    },
    isMarked: async (secret) => isMarked(secret, SIGNING),
  })

  constructor(token = marked()) {
    this.publish()
    this.token = token
    this.secret = this.keep(token)
  }

  /** Issues a token of the connection. */
  keep(token: string): string {
    const secret = token.slice(ACCESS_TOKEN_PREFIX.length)
    const expiresMs = this.world.clock.now() + HOUR_MS
    this.stored.set(keyHashOf(secret), { keyHash: this.key.hash, expiresMs, scopes: ['mcp'] })
    return secret
  }

  publish(revokedMs: number | null = null): void {
    const keys = [{ ...this.key, revokedMs }]
    this.world.memory.publish({ access: { accounts: [], keys } }, this.world.clock.now())
  }

  ask = (text = this.token, from = '192.0.2.1') =>
    this.tokens.callerOf({ text, nowMs: this.world.clock.now(), address: () => from })

  async code(token = this.token, from?: string): Promise<string | null> {
    const caller = await this.ask(token, from)
    return caller instanceof ServiceError ? caller.code : null
  }
}

describe('AccessTokens', () => {
  test('returns the account behind the connection, and looks it up once', async () => {
    const held = new Connected()
    const caller = await held.ask()
    expect(caller).toMatchObject({ key: { name: 'Agent' }, account: { id: held.account.id } })
    expect(held.ask()).toBe(caller)
    expect(held.asked).toEqual([keyHashOf(held.secret)])
  })

  test('refuses a token from the time at which it expires', async () => {
    const held = new Connected()
    await held.ask()
    held.world.clock.advance(HOUR_MS - 1)
    expect(await held.code()).toBeNull()
    held.world.clock.advance(1)
    expect(await held.code()).toBe('invalid_key')
  })

  test('refuses a token of a revoked connection without another lookup', async () => {
    const held = new Connected()
    await held.ask()
    held.publish(held.world.clock.now())
    expect(await held.code()).toBe('revoked_key')
  })

  test('looks a token up again after a change of its account, and finds it deleted', async () => {
    const held = new Connected()
    await held.ask()
    held.stored.clear()
    expect(await held.code()).toBeNull()
    held.publish()
    expect(await held.code()).toBe('invalid_key')
    expect(held.asked.length).toBe(2)
  })

  test('does not cache a lookup that a change overtook', async () => {
    const held = new Connected()
    held.whileLoading = () => held.publish()
    expect(await held.ask()).not.toBeInstanceOf(ServiceError)
    held.whileLoading = () => {}
    await held.ask()
    expect(held.asked.length).toBe(2)
  })

  test.each([
    ['without its end', (token: string) => token.slice(0, -1)],
    ['with a letter changed', (token: string) => `${token.slice(0, -1)}~`],
    ['of another issuer', () => `${ACCESS_TOKEN_PREFIX}${'x'.repeat(40)}`],
    ['of a megabyte', () => ACCESS_TOKEN_PREFIX + 'x'.repeat(1_000_000)],
  ])('refuses a token that is %s without a lookup', async (_, changed) => {
    const held = new Connected()
    expect(await held.code(changed(held.token))).toBe('invalid_key')
    expect(held.asked).toEqual([])
  })

  test('looks up 40 forged tokens of one address in ten seconds, then returns 429', async () => {
    const held = new Connected()
    for (let i = 0; i < 40; i++) expect(await held.code(forged())).toBe('invalid_key')
    expect(await held.code(forged())).toBe('too_many_failures')
    expect(held.asked.length).toBe(40)
    expect(await held.code(forged(), '192.0.2.2')).toBe('invalid_key')
    held.world.clock.advance(10_000)
    expect(await held.code(forged())).toBe('invalid_key')
  })

  test('looks up 200 forged tokens of all addresses in two seconds, then returns 503', async () => {
    const held = new Connected()
    const codes = await Promise.all(
      Array.from({ length: 300 }, (_, i) => held.code(forged(), `192.0.2.${i % 250}`)),
    )
    expect(codes.filter((code) => code === 'invalid_key').length).toBe(200)
    expect(codes.filter((code) => code === 'overloaded').length).toBe(100)
    held.world.clock.advance(2000)
    expect(await held.code(forged())).toBe('invalid_key')
  })

  test('accepts a new token in the middle of any flood, from the same address too', async () => {
    const held = new Connected()
    for (let i = 0; i < 1000; i++) await held.code(forged(), `198.51.100.${i % 250}`)
    for (let i = 0; i < 41; i++) await held.code(forged())
    for (let i = 0; i < 100; i++) {
      const token = marked()
      held.keep(token)
      expect(await held.code(forged())).toBe('too_many_failures')
      expect(await held.code(token)).toBeNull()
    }
  })

  test('accepts a token without our mark, from an address that sent no wrong ones', async () => {
    expect(await new Connected(forged()).code()).toBeNull()
  })

  test('looks up a deleted token of ours once, however often it is sent', async () => {
    const held = new Connected()
    const gone = marked()
    for (let i = 0; i < 10; i++) expect(await held.code(gone)).toBe('invalid_key')
    expect(held.asked.length).toBe(1)
  })

  test('looks up 2,000 of our tokens in two seconds, then returns 503', async () => {
    const held = new Connected()
    for (let i = 0; i < 2000; i++) await held.code(marked())
    expect(await held.code(marked())).toBe('overloaded')
    expect(held.asked.length).toBe(2000)
  })

  test('returns 503 when the database is unreachable, and does not count the token as wrong', async () => {
    const { world, token } = new Connected()
    const away = () => Promise.reject(new ServiceError('database_unavailable', 'away'))
    const shown = { text: token, nowMs: world.clock.now(), address: () => '' }
    const { memory, clock } = world
    const isMarked = async () => true
    for (const failing of [
      { load: away, isMarked },
      { load: async () => null, isMarked: away },
    ]) {
      const tokens = new AccessTokens({ memory, clock, ...failing })
      await expect(tokens.callerOf(shown) as Promise<unknown>).rejects.toThrow('away')
    }
  })
})

describe('callerOfTools', () => {
  test('accepts keys and tokens', async () => {
    const { world, tokens, token, account } = new Connected()
    const access = { memory: world.memory, tokens }
    const callerOf = (credential: string | null) =>
      callerOfTools(access, { credential, nowMs: world.clock.now(), address: () => '' })
    for (const credential of [token, account.key])
      expect(await callerOf(credential)).toMatchObject({ account: { id: account.id } })
    expect(await callerOf(null)).toMatchObject({ code: 'missing_key' })
  })
})

describe('the API', () => {
  test('returns 401 for a token, and says to use a key', async () => {
    const { world, token } = new Connected()
    const { status, body } = await world.get('/providers', undefined, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([status, body.code]).toEqual([401, 'invalid_key'])
    expect(body.error).toContain('takes a key')
  })
})

describe('connectionHash', () => {
  test('fits its column, and differs from the hash of any key', () => {
    const hash = connectionHash(random)
    expect(hash).toHaveLength(64)
    expect(isConnection({ hash })).toBe(true)
    expect(isConnection({ hash: keyHashOf('crd_x') })).toBe(false)
    expect(hash).not.toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('toolsChallenge', () => {
  const METADATA = 'https://fx.example/.well-known/oauth-protected-resource/mcp'

  test('names the metadata first, and an error only if a credential was sent', () => {
    expect(toolsChallenge({ isShown: false, metadataUrl: METADATA })).toBe(
      `Bearer realm="corridor", scope="mcp", resource_metadata="${METADATA}", ` +
        'ApiKey realm="corridor"',
    )
    expect(toolsChallenge({ isShown: true, metadataUrl: METADATA })).toStartWith(
      'Bearer realm="corridor", error="invalid_token", scope="mcp"',
    )
  })
})
