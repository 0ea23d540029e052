import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { foreignRequests, Scene, type Visit } from './scene.ts'

const EMAIL = 'ada.lovelace@example.org'
const ADMIN = 'admin@example.org'
const PASSWORD = 'correct horse battery'
const SETTING_UP = '/developer/second-factor'

let scene: Scene
let origin: string
let ada: Visit
let authenticator: Authenticator

beforeAll(async () => {
  scene = await Scene.start({ SECOND_FACTOR_ROLES: 'admin' })
  // Browsers create passkeys for host names, not for addresses.
  origin = scene.demo.origin.replace('127.0.0.1', 'localhost')
  ada = await scene.visit({ origin })
  authenticator = await Authenticator.in(ada)
})
afterAll(() => scene?.stop())

/** A device with passkeys, simulated by Chromium; its owner may fail to unlock it. */
class Authenticator {
  private constructor(
    private readonly send: (method: string, params?: object) => Promise<unknown>,
    private readonly authenticatorId: string,
  ) {}

  static async in({ page, context }: Visit): Promise<Authenticator> {
    const session = await context.newCDPSession(page)
    const send = (method: string, params?: object) =>
      session.send(method as 'WebAuthn.enable', params as undefined) as Promise<unknown>
    await send('WebAuthn.enable')
    const options = {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    }
    const added = await send('WebAuthn.addVirtualAuthenticator', { options })
    return new Authenticator(send, (added as { authenticatorId: string }).authenticatorId)
  }

  async credentials(): Promise<object[]> {
    const { authenticatorId } = this
    const held = await this.send('WebAuthn.getCredentials', { authenticatorId })
    return (held as { credentials: object[] }).credentials
  }

  /** Gives this device a copy of another one's passkeys. */
  async take(credentials: readonly object[]): Promise<void> {
    const { authenticatorId } = this
    for (const credential of credentials)
      await this.send('WebAuthn.addCredential', { authenticatorId, credential })
  }

  async unlocks(isUserVerified: boolean): Promise<void> {
    const { authenticatorId } = this
    await this.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }
}

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL('**/mailed')
  const { pathname, search } = new URL(await scene.demo.linkTo(email))
  await page.goto(pathname + search)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Confirm' }).click()
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function addPasskey(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.goto(SETTING_UP)
  await page.getByLabel('Name of the passkey').fill(name)
  await page.locator('[data-passkey] input[type=password]').fill(password)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
}

describe('a passkey', () => {
  test('is added with the password, and listed', async () => {
    const { page } = ada
    await signUp(page, EMAIL)
    await page.getByText('I have copied it').waitFor()
    await addPasskey(page, 'laptop', 'not this one')
    await page.getByText('The password is wrong.').waitFor()
    expect(await authenticator.credentials()).toEqual([])
    await addPasskey(page, 'laptop')
    await page.getByText('Passkey added.').waitFor()
    await page.getByRole('rowheader', { name: 'laptop' }).waitFor()
    expect(await authenticator.credentials()).toHaveLength(1)
  })

  test('signs in alone, without the password', async () => {
    const { page } = ada
    await page.goto('/developer')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/developer')
    expect(await page.locator('.lead').first().textContent()).toBe(EMAIL)
  })

  test('is required after the password, which is not enough alone', async () => {
    const other = await scene.visit({ origin })
    const copy = await Authenticator.in(other)
    await signIn(other.page, EMAIL)
    await other.page.waitForURL('**/sign-in/second-step')
    await other.page.goto('/developer')
    await other.page.waitForURL('**/sign-in')
    await copy.take(await authenticator.credentials())
    await signIn(other.page, EMAIL)
    await other.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await other.page.waitForURL('**/developer')
    await other.context.close()
  })

  test('that its owner does not unlock is refused', async () => {
    const other = await scene.visit({ origin })
    const copy = await Authenticator.in(other)
    await copy.take(await authenticator.credentials())
    await copy.unlocks(false)
    await other.page.goto('/sign-in')
    await other.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await other.page.getByText('No passkey was used.').waitFor()
    await other.page.goto('/developer')
    await other.page.waitForURL('**/sign-in')
    await other.context.close()
  })

  test('that a browser accepts unlocked is refused by the service', async () => {
    const other = await scene.visit({ origin })
    const copy = await Authenticator.in(other)
    await copy.take(await authenticator.credentials())
    await copy.unlocks(false)
    await other.page.route('**/sign-in/passkey/options', async (route) => {
      const reply = await route.fetch()
      const json = { ...(await reply.json()), userVerification: 'discouraged' }
      await route.fulfill({ response: reply, json })
    })
    await other.page.goto('/sign-in')
    await other.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await other.page.getByText('That passkey is not known here.').waitFor()
    await other.page.goto('/developer')
    await other.page.waitForURL('**/sign-in')
    await other.context.close()
  })

  test('once removed, does not sign in any more, and the password is enough again', async () => {
    const { page } = ada
    await page.goto(SETTING_UP)
    await page.getByRole('link', { name: 'Remove laptop' }).click()
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Removed.').waitFor()
    await page.goto('/developer')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('That passkey is not known here.').waitFor()
    await signIn(page, EMAIL)
    await page.waitForURL('**/developer')
  })

  test('no foreign request was sent, and no script failed', () => {
    expect(foreignRequests(ada.asked, origin)).toEqual([])
    expect(ada.complaints.filter((text) => !/status of 400/.test(text))).toEqual([])
  })
})

describe('an admin, whose role needs a second factor', () => {
  test('opens no other page before a passkey is set up, and then every page', async () => {
    await scene.demo.command('account', 'create', '--email', ADMIN, '--role', 'admin')
    const visit = await scene.visit({ origin })
    await Authenticator.in(visit)
    const { page } = visit
    await signUp(page, ADMIN)
    await page.goto('/operator')
    await page.waitForURL(`**${SETTING_UP}`)
    await page.getByText('Your role needs a second step').waitFor()
    await addPasskey(page, 'key')
    await page.getByText('Passkey added.').waitFor()
    await page.goto('/operator')
    expect(page.url()).toEndWith('/operator')
    await visit.context.close()
  })
})

describe('every page of the profile', () => {
  test('is accessible and does not scroll sideways, in light and dark, at 320 and 1280 px', async () => {
    const { page, context } = await scene.visit({ width: 320 })
    const examine = async (name: string) => {
      expect(await scene.unfit(page, `profile-${name}`, [320, 1280])).toEqual([])
      await page.setViewportSize({ width: 320, height: 900 })
    }
    await signUp(page, 'every@example.org')
    await page.getByText('I have copied it').waitFor()
    for (const [name, path] of [
      ['privacy', '/privacy'],
      ['sign-in', '/sign-in?said=deleted'],
      ['profile', '/developer/profile'],
      ['delete', '/developer/profile/delete'],
      ['setting-up', SETTING_UP],
    ] as const) {
      await page.goto(path)
      await examine(name)
    }
    await page.locator('form[action$="/app"] input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set up an app' }).click()
    await page.locator('.qr-code').waitFor()
    await examine('app')
    await context.close()
  })
})

test('everything except for passkeys works without a script', async () => {
  const { page, context } = await scene.visit({ isScripted: false })
  await signIn(page, EMAIL)
  await page.waitForURL('**/developer')
  await page.goto(SETTING_UP)
  await page.getByText('Passkeys need JavaScript').waitFor()
  expect(await page.getByRole('button', { name: 'Add a passkey' }).isVisible()).toBe(false)
  await page.locator('form[action$="/app"] input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set up an app' }).click()
  await page.locator('.qr-code').waitFor()
  await page.goto('/developer/profile')
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/sign-in')
  await context.close()
})
