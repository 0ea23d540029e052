import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import {
  ACCESS_TOKEN_PREFIX,
  connectionHash,
  consentEndMs,
  isAccessToken,
  isConnection,
  isMarked,
  isWellFormedKey,
  KEY_PATTERN,
  keyHashOf,
  keyMark,
  lastFourOf,
  newApiKey,
  newMarkedSecret,
  newSecret,
  tokenSecret,
} from '~/domain/api-key.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `bytes` repeatedly. */
function dealing(bytes: Uint8Array): (count: number) => Uint8Array {
  let position = 0
  return (count) => Uint8Array.from({ length: count }, () => bytes[position++ % bytes.length]!)
}

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const keys = fc
  .uint8Array({ minLength: 100, maxLength: 100 })
  .filter((bytes) => bytes.some((byte) => byte < 248))
  .map((bytes) => newApiKey(dealing(bytes)))

describe('newApiKey', () => {
  test('starts with crd_, then has 32 characters of base62 and a checksum of 6', () => {
    expect(newApiKey(random)).toMatch(/^crd_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/)
    expect(newApiKey(random)).toMatch(KEY_PATTERN)
  })

  test('returns no key twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newApiKey(random))).size).toBe(1000)
  })

  test('maps four bytes to each character, so that none is likelier than another', () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const [character = '', ...more] = new Set(
        newApiKey(dealing(Uint8Array.of(byte))).slice(4, 36),
      )
      expect(more).toEqual([])
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect([...counts.keys()].sort().join('')).toBe(ALPHABET)
    expect([...new Set(counts.values())]).toEqual([4])
  })

  test('discards bytes that would favour the first characters', () => {
    const unfair = Uint8Array.from([...Array(8).keys()].map((i) => 248 + i))
    const fair = Uint8Array.from([247, 0])
    const key = newApiKey(dealing(Uint8Array.from([...unfair, ...fair])))
    expect(key.slice(4, 36)).toBe('z0'.repeat(16))
  })
})

describe('newMarkedSecret', () => {
  const secrets = fc
    .uint8Array({ minLength: 100, maxLength: 100 })
    .filter((bytes) => bytes.some((byte) => byte < 248))
    .map((bytes) => newMarkedSecret(dealing(bytes), 'ours'))

  test("has the form of a key's secret, and a mark of its own", () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        expect(isWellFormedKey(`crd_${secret}`)).toBe(true)
        expect(isMarked(secret, 'ours')).toBe(true)
        expect(isMarked(secret, 'theirs')).toBe(false)
      }),
    )
  })

  test('has a mark that no other secret has, nor one with a changed character', () => {
    expect(isMarked(newSecret(random), 'ours')).toBe(false)
    for (const text of ['', 'short', 'é'.repeat(32)]) expect(isMarked(text, 'ours')).toBe(false)
    const secret = newMarkedSecret(random, 'ours')
    for (let at = 0; at < 32; at++) {
      const other = secret[at] === '0' ? '1' : '0'
      expect(isMarked(secret.slice(0, at) + other + secret.slice(at + 1), 'ours')).toBe(false)
    }
  })

  test('returns no secret twice, and a mark that does not repeat what precedes it', () => {
    const all = Array.from({ length: 1000 }, () => newMarkedSecret(random, 'ours'))
    expect(new Set(all).size).toBe(1000)
    expect(new Set(all.map((secret) => secret.slice(22, 32))).size).toBe(1000)
  })
})

describe('isWellFormedKey', () => {
  test('accepts every key that we create', () => {
    fc.assert(fc.property(keys, (key) => expect(isWellFormedKey(key)).toBe(true)))
  })

  test('catches every change of a single character, at every position', () => {
    const key = newApiKey(dealing(Uint8Array.from({ length: 64 }, (_, i) => i * 3)))
    const characters = [...ALPHABET, '_', '-', ' ', 'é', '\0']
    for (let place = 0; place < key.length; place++)
      for (const character of characters) {
        const changed = key.slice(0, place) + character + key.slice(place + 1)
        const isOtherKind = changed === key.replace('crd_', 'crr_')
        expect(isWellFormedKey(changed)).toBe(changed === key || isOtherKind)
      }
  })

  test('catches a lost, a doubled and two swapped characters', () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: 40 }), (key, place) => {
        const [a, b] = [key[place]!, key[place + 1]!]
        expect(isWellFormedKey(key.slice(0, place) + key.slice(place + 1))).toBe(false)
        expect(isWellFormedKey(key.slice(0, place) + a + key.slice(place))).toBe(false)
        const swapped = key.slice(0, place) + b + a + key.slice(place + 2)
        expect(isWellFormedKey(swapped)).toBe(swapped === key)
      }),
    )
  })

  test('refuses everything else: an empty string, a prefix, spaces around a key, a list of keys, 10 kB', () => {
    const key = newApiKey(random)
    for (const text of [
      '',
      'crd_',
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      `${key}, ${key}`,
      key.toUpperCase(),
      'x'.repeat(10_240),
      `crd_${'0'.repeat(10_240)}`,
    ])
      expect(isWellFormedKey(text)).toBe(false)
  })
})

describe('keyHashOf', () => {
  test('returns the SHA-256 of the string in hex', () => {
    expect(keyHashOf('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    const key = newApiKey(random)
    expect(keyHashOf(key)).toBe(createHash('sha256').update(key).digest('hex'))
  })
})

describe('keyMark', () => {
  test('has the beginning and the end of a key, or the beginning alone if the end was not stored', () => {
    const key = newApiKey((count) => new Uint8Array(count))
    expect(lastFourOf(key)).toBe(key.slice(38))
    expect(keyMark({ lastFour: lastFourOf(key) })).toBe(`crd_…${key.slice(38)}`)
    expect(keyMark({ lastFour: null })).toBe('crd_…')
  })

  test('shows part of the checksum, and none of the 32 random characters', () => {
    const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
    expect(key.lastIndexOf(lastFourOf(key))).toBeGreaterThanOrEqual('crd_'.length + 32)
  })
})

describe('tokenSecret', () => {
  const secret = newApiKey(random).slice('crd_'.length)

  test('returns what follows the prefix of a token, and null for a mistyped token', () => {
    expect(tokenSecret(ACCESS_TOKEN_PREFIX + secret, ACCESS_TOKEN_PREFIX)).toBe(secret)
    expect(tokenSecret(`crr_${secret}`, ACCESS_TOKEN_PREFIX)).toBeNull()
    expect(tokenSecret(`${ACCESS_TOKEN_PREFIX}${secret}0`, ACCESS_TOKEN_PREFIX)).toBeNull()
  })

  test('recognises an access token by its prefix', () => {
    expect([`crt_${secret}`, `crr_${secret}`, `${secret}crt_`].map(isAccessToken)).toEqual([
      ...[true, false, false],
    ])
  })
})

describe('a key of a connected application', () => {
  test('has a hash that no string has, and is named a connected application', () => {
    const hash = connectionHash((count) => new Uint8Array(count))
    expect(hash).toMatch(/^connection:-(00){26}$/)
    expect([isConnection({ hash }), isConnection({ hash: keyHashOf('a') })]).toEqual([true, false])
    expect(keyMark({ lastFour: null, hash })).toBe('a connected application')
    expect(keyMark({ lastFour: 'abcd', dailyBudget: 5 })).not.toStartWith('crd_')
  })

  test('expires 180 days after the consent', () => {
    expect(consentEndMs(1000)).toBe(1000 + 180 * 86_400_000)
  })
})
