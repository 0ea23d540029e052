import { describe, expect, test } from 'bun:test'
import { type DevicesDeps, deviceOf, devicesWith } from '~/service/person/devices.ts'

const EMAIL = 'ada@example.org'

function people(stamps: Record<string, string> = { [EMAIL]: 'first' }, secret = 's') {
  const fingerprint = async (text: string) =>
    new Bun.CryptoHasher('sha256', secret).update(text).digest('base64url').slice(0, 32)
  const members = { passwordStamp: async (email: string) => stamps[email] ?? null }
  return { fingerprint, members } satisfies DevicesDeps
}

const afterSignIn = (deps: DevicesDeps, devices = '', email = EMAIL) =>
  devicesWith(deps, { email, devices })

describe('a device', () => {
  test('is recognised by the account that it signed in to, in any case of the email', async () => {
    const devices = await afterSignIn(people())
    const device = await deviceOf(people(), { email: EMAIL, devices })
    expect(device).toMatch(/^[\w-]{22}$/)
    expect(await deviceOf(people(), { email: ' ADA@example.org', devices })).toBe(device)
  })

  test('is not recognised by any other account, nor by an unknown email', async () => {
    const deps = people({ [EMAIL]: 'first', 'bob@example.org': 'first' })
    const devices = await afterSignIn(deps)
    for (const email of ['bob@example.org', 'nobody@example.org', ''])
      expect(await deviceOf(deps, { email, devices })).toBeNull()
  })

  test('is forgotten with a new password, and with another secret', async () => {
    const devices = await afterSignIn(people())
    expect(await deviceOf(people({ [EMAIL]: 'second' }), { email: EMAIL, devices })).toBeNull()
    expect(await deviceOf(people(undefined, 't'), { email: EMAIL, devices })).toBeNull()
  })

  test('keeps its name when it signs in again', async () => {
    const devices = await afterSignIn(people())
    expect(await afterSignIn(people(), devices)).toBe(devices)
  })

  test('is remembered for the last five accounts', async () => {
    const emails = Array.from({ length: 6 }, (_, i) => `${i}@example.org`)
    const deps = people(Object.fromEntries(emails.map((email) => [email, `of ${email}`])))
    let devices = ''
    for (const email of emails) devices = await afterSignIn(deps, devices, email)
    const known = await Promise.all(emails.map((email) => deviceOf(deps, { email, devices })))
    expect(known.map((device) => device !== null)).toEqual([false, true, true, true, true, true])
  })

  test('is not recognised by a cookie that is forged, broken or endless', async () => {
    const devices = await afterSignIn(people())
    const [name, signature] = devices.split('.') as [string, string]
    const broken = [
      '',
      '.',
      '~~~~',
      name,
      `${name}.`,
      `${name}.${signature.slice(1)}`,
      `${name}.${'A'.repeat(signature.length)}`,
      `${'A'.repeat(22)}.${signature}`,
      `${'x~'.repeat(5)}${devices}`,
      'x'.repeat(100_000),
      `${name}.${'é'.repeat(signature.length)}`,
    ]
    for (const shown of broken)
      expect(await deviceOf(people(), { email: EMAIL, devices: shown })).toBeNull()
  })

  test('is not looked up in the database without a cookie', async () => {
    const members = { passwordStamp: () => Promise.reject(new Error('asked')) }
    const deps = { ...people(), members }
    expect(await deviceOf(deps, { email: EMAIL, devices: '' })).toBeNull()
    expect(await deviceOf(deps, { email: EMAIL, devices: 'made up' })).toBeNull()
  })
})
