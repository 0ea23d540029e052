import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { MANNERS, MountProxy } from '../support/mount-proxy.ts'
import { Scene, type Visit } from './scene.ts'

const EMAIL = 'ada.lovelace@example.org'
const OPERATOR = 'operator@example.org'
const PASSWORD = 'correct horse battery'
const MOUNT = '/fx'
/** The maximum number of opened pages that differ only in their query or their subject. */
const ALIKE_MAX = 3

/** Parts of a page that differ between visitors and between visits. */
const CHANGING = /known_at=[^"&#]+|name="form_token" value="[^"]+"/g

const kindOf = (path: string): string => path.replace(/(\/(?:send|providers)\/).+/, '$1')

describe.each(MANNERS)('in a browser, below a path, behind a proxy that %s', (manner) => {
  let proxy: MountProxy
  let scene: Scene
  let ada: Visit
  /** Links of each page that a browser opened, by its address and HTML. */
  const opened = new Map<string, string[]>()

  beforeAll(async () => {
    proxy = new MountProxy(MOUNT, manner)
    scene = await Scene.start({ PUBLIC_URL: proxy.home })
    proxy.target = scene.demo.origin
    ada = await scene.visit()
  })
  afterAll(async () => {
    await scene?.stop()
    await proxy.stop()
  })

  /**
   * Opens every page that links lead to; everything that a page loads must be below the path. A
   * page is not opened again if an earlier visitor saw the same, apart from the instant in a
   * citation link and the token of a form.
   */
  async function walk({ page, asked, complaints }: Visit, start: string): Promise<string[]> {
    const seen = new Set<string>()
    const alike = new Map<string, number>()
    for (const queue = [start]; queue.length > 0; ) {
      const url = queue.shift()!
      const { pathname, origin } = new URL(url)
      const kind = kindOf(pathname)
      const count = alike.get(kind) ?? 0
      if (origin !== proxy.origin || seen.has(url) || count === ALIKE_MAX) continue
      if (/\.(csv|json|txt|svg|png|xlsx)$/.test(pathname)) {
        expect([url, (await page.request.get(url)).status()]).toEqual([url, 200])
        continue
      }
      seen.add(url)
      alike.set(kind, count + 1)
      const answer = await page.request.get(url, { headers: { accept: 'text/html' } })
      expect([url, answer.status()]).toEqual([url, 200])
      const written = url + (await answer.text()).replaceAll(CHANGING, '')
      const links = opened.get(written) ?? (await linksAt(page, url))
      opened.set(written, links)
      queue.push(...links)
    }
    expect(asked.filter((url) => !isBelow(url))).toEqual([])
    expect([proxy.strays, complaints]).toEqual([[], []])
    return [...alike.keys()]
  }

  const isBelow = (url: string): boolean =>
    url.startsWith('data:') || url === proxy.home || url.startsWith(`${proxy.home}/`)

  async function linksAt(page: Page, url: string): Promise<string[]> {
    const reply = await page.goto(url, { waitUntil: 'load' })
    expect([url, reply?.status()]).toEqual([url, 200])
    return page.$$eval('a[href]', (links) =>
      links.map((link) => (link as HTMLAnchorElement).href.split('#')[0]!),
    )
  }

  async function fillIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
  }

  async function signUp({ page }: Visit, email: string): Promise<void> {
    await page.goto(`${proxy.home}/sign-up`)
    await fillIn(page, email)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL(`${proxy.home}/mailed`)
    await page.goto(await scene.demo.linkTo(email))
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('link', { name: 'Developers' }).waitFor()
  }

  test('every public page exists, with everything that it loads', async () => {
    const pages = await walk(await scene.visit(), proxy.home)
    for (const page of [
      '',
      '/corridors',
      '/send/',
      '/providers/',
      '/docs',
      '/sign-up',
      '/sign-in',
      '/forgotten',
    ])
      expect([page, pages.includes(MOUNT + page) || pages.includes(`${MOUNT}${page}/`)]).toEqual([
        page,
        true,
      ])
  })

  test('the form of the board submits to the board', async () => {
    const { page, complaints } = await scene.visit()
    await page.goto(proxy.home)
    await page.locator('.board-form button').first().click()
    await page.waitForURL(`${proxy.home}/?*`)
    expect([proxy.strays, complaints]).toEqual([[], []])
  })

  test('a person signs up, tries the new key, creates, replaces and revokes keys', async () => {
    const { page } = ada
    await signUp(ada, EMAIL)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('HTTP 200').waitFor()
    expect(await page.locator('#try-curl').textContent()).toContain(`'${proxy.home}/api/v1/`)
    expect(await page.locator('#client-0').textContent()).toContain(`${proxy.home}/mcp`)
    await page.goto(`${proxy.home}/developer`)
    await page.getByLabel('Name of the new key').fill('two')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('#new-key').waitFor()
    await page.goto(`${proxy.home}/developer`)
    await page
      .getByRole('link', { name: /Revoke/ })
      .first()
      .click()
    await page.locator('form[action*="revoke"] button').click()
    await page.waitForURL(`${proxy.home}/developer?said=revoked*`)
    const pages = await walk(ada, `${proxy.home}/developer`)
    expect(pages).toContain(`${MOUNT}/developer/keys/replace`)
  })

  test('an operator opens every page', async () => {
    await scene.demo.command('account', 'create', '--email', OPERATOR, '--role', 'admin')
    const operator = await scene.visit()
    await signUp(operator, OPERATOR)
    const pages = await walk(operator, `${proxy.home}/operator`)
    for (const page of ['/operator', '/operator/accounts', '/operator/account', '/operator/log'])
      expect([page, pages.includes(MOUNT + page)]).toEqual([page, true])
  })

  test('the reference calls the API below the path', async () => {
    const { page, complaints } = await scene.visit()
    await page.goto(`${proxy.home}/docs`)
    const operation = page.locator('#operations-Service-getStatus')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table').waitFor()
    expect(await operation.locator('.request-url').textContent()).toEndWith(
      `${proxy.home}/api/v1/status`,
    )
    const status = operation.locator('.live-responses-table .response-col_status')
    expect(await status.last().textContent()).toStartWith('200')
    expect([proxy.strays, complaints]).toEqual([[], []])
  })

  test('signing out and in leads to pages below the path, with cookies for nothing else', async () => {
    const { page, context } = ada
    await page.goto(`${proxy.home}/developer`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${proxy.home}/sign-in*`)
    await fillIn(page, EMAIL)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${proxy.home}/developer*`)
    const cookies = await context.cookies(proxy.home)
    expect(cookies.length).toBeGreaterThan(0)
    expect(new Set(cookies.map(({ path }) => path))).toEqual(new Set([MOUNT]))
    expect(proxy.strays).toEqual([])
  })
})
