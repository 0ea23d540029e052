import { describe, expect, test } from 'bun:test'
import { dictionary } from '@zxcvbn-ts/language-common'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { passwordFault } from '~/service/passwords.ts'

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
  ])('refuses %p, which is the address or its first part', async (password) => {
    expect(await faultOf(password)).toBe('address')
  })

  test('accepts the address of somebody else', async () => {
    expect(await faultOf('bob.bobson@example.org')).toBeNull()
  })

  test.each(['1234567890', 'qwertyuiop', 'Password123', 'BASKETBALL', ' 1q2w3e4r5t '])(
    'refuses %p, which everybody tries first',
    async (password) => {
      expect(await faultOf(password)).toBe('common')
    },
  )

  test('refuses each of the thousand commonest that are long enough', async () => {
    const long = dictionary['passwords-common'].filter(
      ({ length }) => length >= PASSWORD_LENGTH_MIN,
    )
    expect(long.length).toBeGreaterThan(1000)
    const faults = await Promise.all(long.slice(0, 1000).map((password) => faultOf(password)))
    expect(new Set(faults)).toEqual(new Set(['common']))
  })
})
