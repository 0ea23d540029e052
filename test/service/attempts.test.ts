import { describe, expect, test } from 'bun:test'
import { countAttempt, forgetAttempts, LIMITS, TooManyAttempts } from '~/service/attempts.ts'

const { perAccount, perAddress, perPair, windowMs } = LIMITS['sign-in']
const NOW_MS = 10 * windowMs

function counts() {
  const kept = new Map<string, number>()
  const store = {
    async countAttempt(scope: string, endsMs: number) {
      const place = `${scope} ${endsMs}`
      kept.set(place, (kept.get(place) ?? 0) + 1)
      return kept.get(place)!
    },
    async forgetAttempts(scope: string) {
      for (const place of kept.keys()) if (place.startsWith(`${scope} `)) kept.delete(place)
    },
  }
  return { store, fingerprint: async (text: string) => text.toUpperCase() }
}

type Attempt = Parameters<typeof countAttempt>[1]

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  ...{ what: 'sign-in', address: '192.0.2.1', email: 'ada@example.org' },
  ...{ device: null, nowMs: NOW_MS },
  ...more,
})

const waitOf = (work: Promise<void>): Promise<number | null> =>
  work.then(
    () => null,
    (error) => (error instanceof TooManyAttempts ? error.retryAfterSeconds : Promise.reject(error)),
  )

describe('countAttempt', () => {
  test('allows an account as many attempts from one address as the limit, in any case of the email', async () => {
    const deps = counts()
    for (let i = 0; i < perPair; i++) {
      const email = i % 2 ? 'ADA@example.org ' : 'ada@example.org'
      expect(await waitOf(countAttempt(deps, attempt({ email })))).toBeNull()
    }
    expect(await waitOf(countAttempt(deps, attempt()))).toBe(windowMs / 1000)
    expect(await waitOf(countAttempt(deps, attempt({ email: 'bob@example.org' })))).toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: '192.0.2.2' })))).toBeNull()
  })

  test('allows an account many more attempts from all addresses, and none over that limit', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount; i++)
      expect(await waitOf(countAttempt(deps, attempt({ address: `a${i}` })))).toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: 'z' })))).toBe(windowMs / 1000)
    const other = attempt({ address: 'z', email: 'bob@example.org' })
    expect(await waitOf(countAttempt(deps, other))).toBeNull()
  })

  test('does not let one address use up the attempts of an account', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount + perAddress; i++) await waitOf(countAttempt(deps, attempt()))
    for (let i = 0; i < perAccount - perPair; i++)
      expect(await waitOf(countAttempt(deps, attempt({ address: `a${i}` })))).toBeNull()
  })

  test('counts a device separately, whatever others attempt and from where', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount; i++) await countAttempt(deps, attempt({ address: `a${i}` }))
    for (let i = 0; i < perAddress; i++)
      await waitOf(countAttempt(deps, attempt({ email: `${i}@example.org` })))
    const own = attempt({ device: 'known' })
    for (let i = 0; i < perPair; i++) expect(await waitOf(countAttempt(deps, own))).toBeNull()
    expect(await waitOf(countAttempt(deps, own))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ device: 'other' })))).toBeNull()
    const foreign = attempt({ device: 'known', email: 'bob@example.org' })
    expect(await waitOf(countAttempt(deps, foreign))).toBeNull()
  })

  test('allows a /56 four times as many attempts as one network in it', async () => {
    const deps = counts()
    const from = (network: number, about = 'ada') =>
      attempt({
        address: `2001:db8:1:${network.toString(16)}::/64`,
        email: `${about}@example.org`,
      })
    const tried = async (network: number, about?: string) =>
      (await waitOf(countAttempt(deps, from(network, about)))) === null
    for (let i = 0; i < 4 * perPair; i++) expect(await tried(0x200 + i)).toBe(true)
    expect(await tried(0x2ff)).toBe(false)
    expect(await tried(0x300)).toBe(true)
    for (let i = 4 * perPair + 1; i < 4 * perAddress; i++)
      expect(await tried(0x200 + (i % 256), `${i}`)).toBe(true)
    expect(await tried(0x2ff, 'new')).toBe(false)
    expect(await tried(0x3ff, 'new')).toBe(true)
  })

  test('allows an address as many attempts as its limit, for any accounts', async () => {
    const deps = counts()
    for (let i = 0; i < perAddress; i++)
      expect(await waitOf(countAttempt(deps, attempt({ email: `${i}@example.org` })))).toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ email: 'new@example.org' })))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: 'other' })))).toBeNull()
  })

  test('reports how long to wait, and starts over after that time', async () => {
    const deps = counts()
    const nowMs = NOW_MS + 61_500
    for (let i = 0; i < perPair; i++) await countAttempt(deps, attempt({ nowMs }))
    const wait = await waitOf(countAttempt(deps, attempt({ nowMs })))
    expect(wait).toBe(Math.ceil((windowMs - 61_500) / 1000))
    expect(await waitOf(countAttempt(deps, attempt({ nowMs: nowMs + wait! * 1000 })))).toBeNull()
  })

  test('counts a link, which names no account, by its address alone', async () => {
    const deps = counts()
    const link = (address: string) => attempt({ what: 'link', email: null, address })
    for (let i = 0; i < LIMITS.link.perAddress; i++) await countAttempt(deps, link('a'))
    expect(await waitOf(countAttempt(deps, link('a')))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, link('b')))).toBeNull()
  })

  test('counts each kind of attempt separately', async () => {
    const deps = counts()
    for (let i = 0; i < perPair; i++) await countAttempt(deps, attempt())
    expect(await waitOf(countAttempt(deps, attempt({ what: 'reset' })))).toBeNull()
  })
})

describe('forgetAttempts', () => {
  test('gives back all attempts on the account after a success, and none of the address', async () => {
    const deps = counts()
    for (let i = 0; i < perAddress; i++) {
      await countAttempt(deps, attempt())
      await forgetAttempts(deps, attempt())
    }
    expect(await waitOf(countAttempt(deps, attempt()))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: 'other' })))).toBeNull()
  })

  test('gives anonymous callers nothing back, whether a device or an address succeeded', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount; i++) await countAttempt(deps, attempt({ address: `a${i}` }))
    for (const own of [attempt({ device: 'known' }), attempt()]) {
      await forgetAttempts(deps, own)
      expect(await waitOf(countAttempt(deps, attempt({ address: 'z' })))).not.toBeNull()
    }
  })

  test('gives a device its own attempts back', async () => {
    const deps = counts()
    const own = attempt({ device: 'known' })
    for (let i = 0; i < 3 * perPair; i++) {
      expect(await waitOf(countAttempt(deps, own))).toBeNull()
      await forgetAttempts(deps, own)
    }
  })
})
