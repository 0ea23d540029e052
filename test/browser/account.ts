import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { downloaded, foreignRequests, Scene, type Visit } from './scene.ts'

const EMAIL = 'ada.lovelace@example.org'
const OPERATOR = 'operator@example.org'
const PASSWORD = 'correct horse battery'

let scene: Scene
let ada: Visit
let firstKey: string

beforeAll(async () => {
  scene = await Scene.start()
  ada = await scene.visit()
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterAll(() => scene?.stop())

const asked = async (key: string, path = '/convert?from=GBP&to=KES&amount=100') =>
  (await fetch(`${scene.demo.origin}/api/v1${path}`, { headers: { 'x-api-key': key } })).status

const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
}

/** Signs up and follows the link that the log of the demonstration holds. */
async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/sign-up')
  await fillIn(page, email)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL('**/mailed')
  await page.goto(await scene.demo.linkTo(email))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Confirm' }).click()
}

/** The key that the page shows, by its copy button. */
async function copiedKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy your key' }).click()
  await page.getByText('Copied', { exact: true }).first().waitFor()
  const key = await clipboard(page)
  expect(key).toMatch(/^crd_\w{38}$/)
  expect(await page.locator('#new-key').textContent()).toBe(key)
  return key
}

/** Takes a picture of a page that only an action leads to, once it has no accessibility error. */
async function examined({ page }: Visit, name: string): Promise<void> {
  expect([name, await scene.faults(page)]).toEqual([name, []])
  await scene.picture(page, name)
}

const row = (page: Page, name: string) =>
  page.locator('tr', { has: page.getByRole('rowheader', { name, exact: true }) })

describe('a developer', () => {
  test('gets from the developer area to the sign-up, and through the link to a key', async () => {
    const { page } = ada
    await page.goto('/developer')
    await page.waitForURL('**/sign-in')
    await page.getByRole('link', { name: 'Get one free' }).click()
    await page.waitForURL('**/sign-up')
    await signUp(page, EMAIL)
    firstKey = await copiedKey(page)
    expect(await asked(firstKey)).toBe(200)
  })

  test('tries the key on the page that shows it, and nothing stores it', async () => {
    const { page } = ada
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('HTTP 200').waitFor()
    expect(await page.locator('#try-status').textContent()).toContain('48 of 50 requests left')
    expect(await page.locator('#try-answer').textContent()).toContain('"net_converted"')
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(await page.evaluate('document.cookie')).toBe('')
    await examined(ada, 'key-light')
  })

  test('sees the shell call change with the request, whatever it contains', async () => {
    const { page } = ada
    await page.getByLabel('Question').fill("/rates?from=USD&to=O'K S")
    expect(await page.locator('#try-curl').textContent()).toEndWith(
      `'${scene.demo.origin}/api/v1/rates?from=USD&to=O%27K%20S'`,
    )
  })

  test('sees the usage grow', async () => {
    const { page } = ada
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.waitForURL('**/developer')
    expect(await page.locator('.card .figure').first().textContent()).toBe('48')
    expect(await page.content()).not.toContain(firstKey)
    await asked(firstKey)
    await page.reload()
    expect(await page.locator('.card .figure').first().textContent()).toBe('47')
    expect(await row(page, 'default').textContent()).toContain('today')
    expect(await page.locator('.usage-chart rect').count()).toBe(1)
  })

  test('tries a pasted key with the enter key, and sees an error for an invalid key', async () => {
    const { page } = ada
    await page.getByLabel('Your key').fill('crd_nonsense')
    await page.getByLabel('Question').fill('/admin/usage')
    await page.getByLabel('Your key').press('Enter')
    await page.getByText('HTTP 401').waitFor()
    await page.getByLabel('Your key').fill(firstKey)
    await page.getByLabel('Your key').press('Enter')
    await page.getByText('HTTP 200').waitFor()
    expect(await page.locator('#try-answer').textContent()).toContain('"used": 3')
    await page.getByLabel('Question').fill('//evil.example/')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('HTTP 404').waitFor()
  })

  test('creates one key by two clicks and revokes the first, which is refused at once', async () => {
    const { page } = ada
    await page.getByLabel('Name of the new key').fill('laptop')
    const isStopped = await page.getByRole('button', { name: 'Create key' }).evaluate((button) => {
      const seen: boolean[] = []
      addEventListener('submit', ({ defaultPrevented }) => seen.push(defaultPrevented))
      for (let clicks = 0; clicks < 2; clicks++) (button as HTMLElement).click()
      return seen
    })
    expect(isStopped).toEqual([false, true])
    const second = await copiedKey(page)
    expect([await asked(second), await asked(firstKey)]).toEqual([200, 200])
    await page.goto('/developer')
    expect(await row(page, 'laptop').count()).toBe(1)
    await row(page, 'default').getByRole('link', { name: 'Revoke' }).click()
    await examined(ada, 'revoke-light')
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Key revoked.').waitFor()
    expect([await asked(second), await asked(firstKey)]).toEqual([200, 401])
    expect(await row(page, 'default').count()).toBe(0)
  })

  test('replaces a key, and both work during the overlap', async () => {
    const { page } = ada
    await row(page, 'laptop').getByRole('link', { name: 'Replace' }).click()
    await page.getByLabel('Keep the old key for').selectOption('7d')
    await page.getByRole('button', { name: 'Create the new key' }).click()
    expect(await asked(await copiedKey(page))).toBe(200)
    await page.goto('/developer')
    await page.getByText('ends in 6 days').waitFor()
    await examined(ada, 'developer-light')
  })

  test('has sent the key only in a header to this site, without an error in the browser', () => {
    expect(ada.asked.filter((url) => url.includes('crd_'))).toEqual([])
    expect(foreignRequests(ada.asked, scene.demo.origin)).toEqual([])
    const expected = /status of (401|404)/
    expect(ada.complaints.filter((text) => !expected.test(text))).toEqual([])
  })

  test('signs out, and in again without scripts, with the key ready to be selected', async () => {
    await ada.page.getByRole('button', { name: 'Sign out' }).click()
    await ada.page.waitForURL('**/sign-in')
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto('/sign-in')
    await fillIn(page, EMAIL)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/developer')
    await page.getByLabel('Name of the new key').fill('plain')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await asked((await page.locator('#new-key').textContent())!)).toBe(200)
    expect(await page.locator('[data-try-it]').isVisible()).toBe(false)
    await context.close()
  })
})

describe('an operator', () => {
  let operator: Visit

  test('opens the account created on the command line, and sees the state of the data', async () => {
    await scene.demo.command('account', 'create', '--email', OPERATOR, '--role', 'admin')
    operator = await scene.visit()
    const { page } = operator
    await signUp(page, OPERATOR)
    await page.waitForURL('**/developer')
    await page.getByRole('link', { name: 'Operator' }).click()
    await page.waitForURL('**/operator')
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(60)
    await examined(operator, 'operator-light')
  })

  test('finds an account, changes its plan, and sees the change', async () => {
    const { page } = operator
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByLabel('Part of the address').fill('lovelace')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 account', { exact: true }).waitFor()
    await page.getByRole('link', { name: EMAIL }).click()
    await page.getByLabel('Plan', { exact: true }).selectOption('enterprise')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Takes effect with the next request.').waitFor()
    expect(await page.getByLabel('Plan', { exact: true }).inputValue()).toBe('enterprise')
    await examined(operator, 'operator-account-light')
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Make ${EMAIL} an admin?`).waitFor()
    await examined(operator, 'operator-admin-light')
    await page.getByRole('link', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe('member')
    await page.getByRole('link', { name: 'Changes' }).click()
    const first = page.locator('tbody tr').first()
    expect(await first.textContent()).toContain('plan free → enterprise')
    expect(await first.textContent()).toContain(OPERATOR)
    await examined(operator, 'operator-log-light')
    await page.getByLabel('By', { exact: true }).fill(OPERATOR)
    await page.getByLabel('Change', { exact: true }).selectOption('account changed')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**/operator/log?actor=*')
    expect(await page.locator('tbody tr').count()).toBe(1)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    const lines = (await downloaded(await download)).toString().trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`${OPERATOR},account changed,${EMAIL},`)
    expect(operator.complaints).toEqual([])
  })
})

describe('every page', () => {
  const STRANGERS = ['/sign-up', '/sign-in', '/mailed', '/forgotten', '/reset?token=x']
  const MEMBERS = ['/developer', '/operator', '/operator/accounts', '/operator/log']

  test('is accessible and does not scroll sideways, in light and dark, at 360 and 1280 px', async () => {
    const { page, context } = await scene.visit({ width: 360 })
    const examine = async (path: string) => {
      await page.goto(path)
      for (const details of await page.locator('details').all())
        await details.evaluate((element) => element.setAttribute('open', ''))
      const name = path.slice(1).replace(/\W+/g, '-')
      expect(await scene.unfit(page, name, [360, 1280])).toEqual([])
      await page.setViewportSize({ width: 360, height: 900 })
    }
    for (const path of STRANGERS) await examine(path)
    await page.goto('/sign-in')
    await fillIn(page, OPERATOR)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/developer')
    for (const path of MEMBERS) await examine(path)
    await context.close()
  })
})
