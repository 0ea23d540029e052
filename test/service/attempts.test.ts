import { describe, expect, test } from 'bun:test'
import { countAttempt, forgetAttempts, LIMITS, TooManyAttempts } from '~/service/attempts.ts'

const { perAccount, perAddress, windowMs } = LIMITS['sign-in']
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
  ...{ what: 'sign-in', address: '192.0.2.1', email: 'ada@example.org', nowMs: NOW_MS },
  ...more,
})

const waitOf = (work: Promise<void>): Promise<number | null> =>
  work.then(
    () => null,
    (error) => (error instanceof TooManyAttempts ? error.retryAfterSeconds : Promise.reject(error)),
  )

describe('countAttempt', () => {
  test('takes as many for an account as its limit, whatever its case, and not one more', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount; i++) {
      const email = i % 2 ? 'ADA@example.org ' : 'ada@example.org'
      expect(await waitOf(countAttempt(deps, attempt({ email, address: `a${i}` })))).toBeNull()
    }
    expect(await waitOf(countAttempt(deps, attempt({ address: 'z' })))).toBe(windowMs / 1000)
    expect(await waitOf(countAttempt(deps, attempt({ email: 'bob@example.org' })))).toBeNull()
  })

  test('takes as many from an address as its limit, whomever they are about', async () => {
    const deps = counts()
    for (let i = 0; i < perAddress; i++)
      expect(await waitOf(countAttempt(deps, attempt({ email: `${i}@example.org` })))).toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ email: 'new@example.org' })))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: 'other' })))).toBeNull()
  })

  test('tells how long to wait, and begins anew when that is over', async () => {
    const deps = counts()
    const nowMs = NOW_MS + 61_500
    for (let i = 0; i < perAccount; i++) await countAttempt(deps, attempt({ nowMs }))
    const wait = await waitOf(countAttempt(deps, attempt({ nowMs })))
    expect(wait).toBe(Math.ceil((windowMs - 61_500) / 1000))
    expect(await waitOf(countAttempt(deps, attempt({ nowMs: nowMs + wait! * 1000 })))).toBeNull()
  })

  test('counts a link, which names nobody, by where it comes from alone', async () => {
    const deps = counts()
    const link = (address: string) => attempt({ what: 'link', email: null, address })
    for (let i = 0; i < LIMITS.link.perAddress; i++) await countAttempt(deps, link('a'))
    expect(await waitOf(countAttempt(deps, link('a')))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, link('b')))).toBeNull()
  })

  test('counts one thing apart from another', async () => {
    const deps = counts()
    for (let i = 0; i < perAccount; i++) await countAttempt(deps, attempt())
    expect(await waitOf(countAttempt(deps, attempt({ what: 'reset' })))).toBeNull()
  })
})

describe('forgetAttempts', () => {
  test('gives an account all its tries back, and the address none', async () => {
    const deps = counts()
    for (let i = 0; i < perAddress; i++) {
      await countAttempt(deps, attempt())
      await forgetAttempts(deps, { what: 'sign-in', email: 'ada@example.org' })
    }
    expect(await waitOf(countAttempt(deps, attempt()))).not.toBeNull()
    expect(await waitOf(countAttempt(deps, attempt({ address: 'other' })))).toBeNull()
  })
})
