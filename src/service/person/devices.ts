import { randomBytes } from 'node:crypto'
import { isSameToken } from './same-token.ts'

/**
 * Browsers that signed in to an account before, recognised by a cookie, so that other people who
 * try its password do not lock them out.
 *
 * The cookie holds tokens, one for each of the last accounts. A token is a random name and a
 * signature over that name, the account and its password: it reveals neither, is good for that
 * account alone, and ends with a new password. It gives no access.
 */
export type DevicesDeps = {
  readonly fingerprint: (text: string) => Promise<string>
  readonly members: {
    /** A value that changes with every new password of a person; null for an unknown address. */
    passwordStamp(email: string): Promise<string | null>
  }
}

/** The maximum number of accounts that a browser is remembered for; the first is forgotten. */
const ACCOUNTS_MAX = 5

const NAME_BYTES = 16
const SEPARATOR = '~'
const TOKEN = /^[\w-]{22}\.[\w-]{20,64}$/

type Shown = {
  readonly email: string
  /** The content of the browser's cookie. */
  readonly devices: string
}

/** The device that the cookie names for this account; null without one. */
export async function deviceOf(deps: DevicesDeps, shown: Shown): Promise<string | null> {
  const token = await ownToken(deps, shown)
  return token && nameIn(token)
}

/** The cookie after a sign-in: with a token for the account, the existing one if it is valid. */
export async function devicesWith(deps: DevicesDeps, shown: Shown): Promise<string> {
  const known = await ownToken(deps, shown)
  const name = randomBytes(NAME_BYTES).toString('base64url')
  const own = known ?? `${name}.${await (await signerOf(deps, shown.email))(name)}`
  const others = tokensIn(shown.devices).filter((token) => token !== own)
  return [own, ...others].slice(0, ACCOUNTS_MAX).join(SEPARATOR)
}

async function ownToken(deps: DevicesDeps, { email, devices }: Shown): Promise<string | null> {
  const tokens = tokensIn(devices)
  if (tokens.length === 0) return null
  const signed = await signerOf(deps, email)
  for (const token of tokens) {
    const name = nameIn(token)
    if (isSameToken(token, `${name}.${await signed(name)}`)) return token
  }
  return null
}

async function signerOf({ fingerprint, members }: DevicesDeps, email: string) {
  const address = email.trim().toLowerCase()
  const stamp = await members.passwordStamp(address)
  const secret = stamp ?? randomBytes(NAME_BYTES).toString('base64url')
  return (name: string) => fingerprint(`device ${name} of ${address} with ${secret}`)
}

const tokensIn = (devices: string): string[] =>
  devices.split(SEPARATOR, ACCOUNTS_MAX).filter((token) => TOKEN.test(token))

const nameIn = (token: string): string => token.slice(0, token.indexOf('.'))
