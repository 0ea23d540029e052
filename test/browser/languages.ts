import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES, type Language, prefixOf } from '~/portal/words/language.ts'
import { englishWordIn } from '../portal/words/english.ts'
import { isTooWide, Scene } from './scene.ts'

const PAIR = '/send/united-kingdom-to-ghana?amount=200'
const PAGES = [
  ...['/?from=GBP&to=KES', PAIR, '/corridors', '/send', '/providers', '/privacy'],
  ...['/sign-up', '/sign-in', '/forgotten', '/embed?source=GB&target=GH&amount=200', '/nothing'],
  ...['/data', '/ranking', '/ranking?of=providers&order=lowest', '/verify', '/methodology'],
  ...['/methodology/1', '/providers/wise', '/alerts/subscribe?token=x', '/alerts/end?token=x'],
]

let scene: Scene
beforeAll(async () => {
  scene = await Scene.shared()
  await scene.drawsCharts()
})
afterAll(() => scene?.stop())

const SHOWN = `(() => {
  const copy = document.body.cloneNode(true)
  for (const other of copy.querySelectorAll('[lang="en"], pre, code, script')) other.remove()
  return [document.title, copy.textContent].join(' ')
})()`

/** Labels, and the words of scripts without their keys, which are English in every language. */
const LABELS = `[...document.querySelectorAll('main *, header *')].flatMap((one) => [
  ...['aria-label', 'data-label', 'alt'].map((name) => one.getAttribute(name) ?? ''),
  ...Object.values(JSON.parse(one.dataset.words ?? '{}')).map((word) => JSON.stringify(word)),
])`

async function englishIn(page: Page): Promise<string | null> {
  const text = (await page.evaluate(SHOWN)) as string
  const labels = (await page.evaluate(LABELS)) as string[]
  return englishWordIn([text, ...labels.filter(Boolean)].join(' | ').replace(/\s+/g, ' '))
}

const WIDTHS = [320, 768, 1280]
const SCHEMES = ['light', 'dark'] as const

/**
 * Every width with light and dark, from narrow to wide: a growing page redraws its charts. Dark
 * changes only colours.
 */
const LOOKS = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })))

const PASSWORD = 'correct horse battery'
const ACCOUNT = [
  ...['/developer', '/developer/profile', '/developer/profile/delete', '/developer/second-factor'],
  ...['/developer/alerts', '/developer/alerts/new?from=GBP&to=KES', '/oauth/authorize?client_id=x'],
]

/** The path of the consent page for an application that has just registered. */
async function consentPath(): Promise<string> {
  const redirect_uri = 'http://127.0.0.1:1/callback'
  const reply = await fetch(`${scene.demo.origin}/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await reply.json()) as { client_id: string }
  const asked = { response_type: 'code', client_id, redirect_uri, state: 's' }
  const proof = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  return `/oauth/authorize?${new URLSearchParams({ ...asked, ...proof })}`
}

/** Opens a page in a language, at the least width, in light. */
async function opened(page: Page, path: string, language: Language): Promise<void> {
  await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(prefixOf(language) + path)
  expect(await page.locator('html').getAttribute('lang')).toBe(language)
}

/** Opens every folded part of a page. */
const unfolded = (page: Page) =>
  page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true')

type Looked = {
  readonly path: string
  /** The look at which axe reads the page; at every one for the page of a pair. */
  readonly own: number
}

/** Expects a page to be only in its language, and to fit and be readable in every look. */
async function examined(page: Page, name: string, { path, own }: Looked): Promise<void> {
  const isEnglish = (await page.locator('html').getAttribute('lang')) === 'en'
  if (!isEnglish) expect([path, await englishIn(page)]).toEqual([path, null])
  await scene.picture(page, `language-${name}`)
  for (const [i, { width, scheme }] of LOOKS.entries()) {
    const isRead = path === PAIR || i === own % LOOKS.length
    if (scheme === 'light') {
      await page.setViewportSize({ width, height: 900 })
      expect([path, width, await isTooWide(page)]).toEqual([path, width, false])
    }
    if (!isRead) continue
    await page.emulateMedia({ colorScheme: scheme })
    expect([path, width, scheme, await scene.faults(page)]).toEqual([path, width, scheme, []])
  }
}

describe('the pages in every language', () => {
  test.each(LANGUAGES)(
    '%s stands alone, fits and shuts nobody out at every width, light and dark',
    async (language) => {
      const { page, context } = await scene.visit({ isScripted: true })
      for (const [nth, path] of PAGES.entries()) {
        await opened(page, path, language)
        await examined(page, `${language}-${nth}`, { path, own: nth + LANGUAGES.indexOf(language) })
      }
      await context.close()
    },
  )

  test.each(LANGUAGES)('%s is the language of every page of a sign-up too', async (language) => {
    const { page, context } = await scene.visit({ isScripted: true })
    const email = `${language}@example.org`
    const fillIn = async () => {
      for (const [name, value] of Object.entries({ email, password: PASSWORD })) {
        const field = page.locator(`input[name=${name}]:visible`)
        if ((await field.count()) > 0) await field.fill(value)
      }
      await page.locator('main form button[type=submit]:visible').first().click()
    }
    await opened(page, '/sign-up', language)
    await fillIn()
    await page.waitForURL('**/mailed')
    await page.goto(await scene.demo.linkTo(email))
    await fillIn()
    await page.locator('#new-key').waitFor()
    await unfolded(page)
    await examined(page, `${language}-first-key`, { path: PAIR, own: 0 })
    for (const [nth, path] of [...ACCOUNT, await consentPath()].entries()) {
      await opened(page, path, language)
      await unfolded(page)
      await examined(page, `${language}-account-${nth}`, { path, own: nth })
    }
    await context.close()
  })

  test('Arabic is laid out from right to left', async () => {
    const { page, context } = await scene.visit({ width: 320 })
    await page.goto(`/ar${PAIR}`)
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    const left = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x
    expect(await left('.site-header .brand')).toBeGreaterThan(160)
    await context.close()
  })

  test('a choice at the top leads to the same page, without scripts, and is remembered', async () => {
    const { page, context } = await scene.visit({ isScripted: false, width: 320 })
    await page.goto(PAIR)
    await page.locator('.languages summary').click()
    await page.getByRole('button', { name: 'Kiswahili' }).click()
    expect(new URL(page.url()).pathname).toBe('/sw/send/united-kingdom-to-ghana')
    expect(new URL(page.url()).search).toBe('?amount=200')
    await page.goto('/providers')
    expect(await page.locator('html').getAttribute('lang')).toBe('sw')
    await context.close()
  })

  test('the chart shows its values in the language of the page', async () => {
    const { page, context } = await scene.visit()
    await page.goto('/fr/?from=GBP&to=KES')
    await page.locator('.chart-plot canvas').waitFor()
    await page.locator('[data-chart]').focus()
    await page.keyboard.press('Home')
    expect(await page.locator('.chart-reading').textContent()).toMatch(/\s: taux moyen [\d,\s]+/)
    await context.close()
  })
})
