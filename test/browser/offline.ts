import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'
import { isTooWide, type Look, Scene } from './scene.ts'

const PAIR = '/send/united-kingdom-to-ghana?amount=200'
const OTHER = '/send/united-states-to-kenya?amount=200'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.shared()
})
afterAll(() => scene?.stop())

/** Waits until the site's worker handles a page and caches it. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(`navigator.serviceWorker.ready.then(() =>
    navigator.serviceWorker.controller ?? new Promise((resolve) =>
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })))`)
  await page.waitForFunction(async (url) => {
    const names = (await caches.keys()).filter((name) => name.endsWith(' pages'))
    const found = await Promise.all(names.map(async (one) => (await caches.open(one)).match(url)))
    return found.some(Boolean)
  }, page.url())
}

const keptPaths = (page: Page) =>
  page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.endsWith(' pages'))
    const requests = await Promise.all(names.map(async (one) => (await caches.open(one)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })

/** The connection to the service, which can be cut for pages and workers, and restored. */
class Line {
  #server: Bun.Server<undefined> = this.#opened(0)
  readonly #port: number = this.#server.port!
  readonly origin: string = `http://127.0.0.1:${this.#port}`

  constructor(private readonly to: string) {}

  async cut(page: Page): Promise<void> {
    await this.#server.stop(true)
    await page.context().setOffline(true)
  }

  async mend(page: Page): Promise<void> {
    this.#server = this.#opened(this.#port)
    await page.context().setOffline(false)
  }

  #opened(port: number): Bun.Server<undefined> {
    return Bun.serve({
      ...{ port, hostname: '127.0.0.1' },
      fetch: ({ url, headers, method }) =>
        fetch(url.replace(this.origin, this.to), {
          ...{ headers, method, redirect: 'manual', decompress: false },
        }),
    })
  }
}

/** A visit over a line of its own. */
async function visit(look: Look = {}) {
  const line = new Line(scene.demo.origin)
  return { line, ...(await scene.visit({ ...look, origin: line.origin })) }
}

/** An instant in every minute from one instant to another. */
function minutesBetween(fromMs: number, toMs: number): number[] {
  const first = Math.floor(fromMs / 60_000)
  const count = Math.floor(toMs / 60_000) - first + 1
  return Array.from({ length: count }, (_, i) => (first + i) * 60_000)
}

const main = (page: Page) => page.locator('main')

describe('pages without a connection', () => {
  test.each(LANGUAGES)('say in %s that they are old, and since when', async (language) => {
    const { line, page, context, complaints } = await visit({ width: 320 })
    const words = Words.in(language)
    const prefix = language === 'en' ? '' : `/${language}`
    const askedMs = Date.now()
    await page.goto(prefix + PAIR)
    const price = await page.locator('.market-table .net').first().textContent()
    await kept(page)
    const seenMs = Date.now()
    await line.cut(page)
    await page.reload()
    const text = (await main(page).textContent())!
    expect(text).toStartWith(words.say('offline.title'))
    const times = minutesBetween(askedMs - 60_000, seenMs).map((ms) =>
      words.say('offline.seen', { time: words.momentText(ms) }),
    )
    expect(times.some((said) => text.includes(said))).toBe(true)
    expect(await page.locator('.market-table .net').first().textContent()).toBe(price)
    expect(await page.evaluate('document.styleSheets[0].cssRules.length > 100')).toBe(true)
    expect([await isTooWide(page), await scene.faults(page)]).toEqual([false, []])
    await scene.picture(page, `offline-seen-${language}`)
    await page.goto(prefix + OTHER)
    const unseen = (await main(page).textContent())!
    expect(unseen).toStartWith(words.say('offline.title') + words.say('offline.unseen'))
    expect(await page.title()).toBe(words.say('offline.title'))
    expect(await isTooWide(page)).toBe(false)
    await scene.picture(page, `offline-unseen-${language}`)
    await page.goto((await main(page).locator('li a').first().getAttribute('href'))!)
    await page.locator('.market-table').first().waitFor()
    expect(complaints.filter((one) => /Content Security Policy/.test(one))).toEqual([])
    await context.close()
  })

  test('are replaced by current ones automatically once there is a connection', async () => {
    const { line, page, context } = await visit()
    await page.goto(PAIR)
    await kept(page)
    await line.cut(page)
    await page.reload()
    await page.locator('[data-offline]').waitFor()
    await line.mend(page)
    await page.locator('[data-offline]').waitFor({ state: 'detached' })
    expect(await page.locator('.market-table').count()).toBeGreaterThan(0)
    await context.close()
  })
})

describe('pages with a connection', () => {
  test('are never cached ones', async () => {
    const { page, context } = await scene.visit()
    await page.goto(PAIR)
    await kept(page)
    await page.evaluate(async (url) => {
      const name = (await caches.keys()).find((one) => one.endsWith(' pages'))!
      const html = '<html lang="en"><main id="content">kept</main></html>'
      const headers = { 'content-type': 'text/html', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
      await (await caches.open(name)).put(url, new Response(html, { headers }))
    }, page.url())
    await page.reload()
    expect(await main(page).textContent()).not.toContain('kept')
    expect(await page.locator('[data-offline]').count()).toBe(0)
    await context.close()
  })

  test('are cached up to a number, the last ones, and none that is for one person', async () => {
    const { page, context } = await scene.visit()
    await page.goto('/sign-in')
    await page.evaluate('navigator.serviceWorker.ready')
    await page.goto(PAIR)
    await kept(page)
    for (const path of ['/sign-in', '/sign-up', '/developer', '/nothing', '/openapi.json'])
      await page.goto(path)
    expect(await keptPaths(page)).toEqual(['/send/united-kingdom-to-ghana'])
    for (let amount = 1; amount <= 32; amount++) {
      await page.goto(`/send/united-kingdom-to-ghana?amount=${amount}`)
      await kept(page)
    }
    const paths = await keptPaths(page)
    expect(paths).toEqual(Array.from({ length: 30 }, () => '/send/united-kingdom-to-ghana'))
    await context.close()
  })

  test('show the error of a failing service, not the cached page', async () => {
    const { page, context } = await scene.visit()
    await page.goto(PAIR)
    await kept(page)
    const reply = await page.goto('/send/nowhere-to-ghana')
    expect(reply!.status()).toBe(404)
    expect(await page.locator('[data-offline]').count()).toBe(0)
    await context.close()
  })
})

describe('the site', () => {
  test('is installable, by the browser’s own rules', async () => {
    const { page, context } = await scene.visit()
    await page.goto(PAIR)
    await kept(page)
    const session = await context.newCDPSession(page)
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    const own = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')
    expect(own).toEqual([])
    const { errors } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    await context.close()
  })
})
