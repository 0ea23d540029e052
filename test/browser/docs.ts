import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { DemoServer } from './demo-server.ts'

const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
const SCREENSHOT = process.env.SCREENSHOT ?? join(tmpdir(), 'corridor-docs.png')

setDefaultTimeout(60_000)

describe('/docs in a browser', () => {
  const asked: string[] = []
  const complaints: string[] = []
  let demo: DemoServer
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    demo = await DemoServer.start()
    const executablePath = CHROMIUM.find((path) => path && existsSync(path))
    if (!executablePath)
      throw new Error('no browser: install chromium, or set CHROMIUM to its path')
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
    browser = await chromium.launch({ executablePath, args })
    page = await browser.newPage({ viewport: { width: 1280, height: 1600 } })
    page.on('request', (request) => void asked.push(request.url()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  })

  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })

  test('lists every operation of the document', async () => {
    await page.goto(`${demo.origin}/docs`)
    await page.locator('.opblock').first().waitFor()
    const { paths } = (await (await fetch(`${demo.origin}/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods))
    expect(await page.locator('.opblock').count()).toBe(operations.length)
  })

  test('200 to a call with a pasted key, its parameters filled in from their examples', async () => {
    await page.locator('.btn.authorize').click()
    const scheme = page.locator('.auth-container').filter({ hasText: 'X-API-Key' })
    await scheme.locator('input').fill(demo.keys.enterprise!)
    await scheme.locator('.auth-btn-wrapper .authorize').click()
    await scheme.locator('.auth-btn-wrapper .btn-done').click()
    const operation = page.locator('#operations-Rates-convertAmount')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').click()
    const live = operation.locator('.live-responses-table')
    await live.waitFor()
    expect(await live.locator('.response-col_status').last().textContent()).toStartWith('200')
    const body = await live.locator('.response-col_description .microlight').first().textContent()
    expect(body).toContain('"net_converted"')
    expect(await operation.locator('.request-url').textContent()).toContain('from=GBP&to=KES')
    await live.scrollIntoViewIfNeeded()
    await page.screenshot({ path: SCREENSHOT })
  })

  test('200 to a list, sent as one comma-separated parameter', async () => {
    const operation = page.locator('#operations-Pairs-fetchMulti')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').click()
    const live = operation.locator('.live-responses-table')
    await live.waitFor()
    expect(await live.locator('.response-col_status').last().textContent()).toStartWith('200')
    expect(await operation.locator('.request-url').textContent()).toEndWith('to=KES,NGN')
  })

  test('200 to the history without its optional parameters', async () => {
    const operation = page.locator('#operations-Rates-getHistory')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table').waitFor()
    const status = operation.locator('.live-responses-table .response-col_status').last()
    expect(await status.textContent()).toStartWith('200')
    const url = await operation.locator('.request-url').textContent()
    expect(url).not.toMatch(/provider|until/)
  })

  test('is dark for a reader who prefers dark, and fits a phone', async () => {
    const context = await browser.newContext({
      viewport: { width: 360, height: 800 },
      colorScheme: 'dark',
    })
    const phone = await context.newPage()
    await phone.goto(`${demo.origin}/docs`)
    await phone.locator('#operations-Rates-convertAmount .opblock-summary-control').click()
    await phone.locator('#operations-Rates-convertAmount .responses-table').waitFor()
    const background = 'getComputedStyle(document.documentElement).backgroundColor'
    expect(await phone.evaluate(background)).toBe('rgb(28, 32, 34)')
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await phone.emulateMedia({ colorScheme: 'light' })
    await until('the page is light', async () => {
      return (await phone.evaluate(background)) !== 'rgb(28, 32, 34)'
    })
    await context.close()
  })

  test('has the frame of every page but for the choice of a language, with its links', async () => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${demo.origin}/docs`)
      await page.locator('.opblock').first().waitFor()
      const frame = async () => {
        await page.evaluate("document.querySelector('.languages')?.remove()")
        return {
          header: await page.locator('.site-header').boundingBox(),
          brand: await page.locator('.brand').boundingBox(),
          footer: (await page.locator('.site-footer').boundingBox())?.height,
        }
      }
      const here = await frame()
      await page.getByRole('link', { name: 'How we calculate' }).click()
      await page.getByRole('heading', { name: 'How we calculate' }).waitFor()
      expect(await frame()).toEqual(here)
    }
  })

  test('shows the guide instead of the reference without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(`${demo.origin}/docs`)
    expect(await plain.locator('.guide').textContent()).toContain('X-API-Key')
    await plain.getByRole('link', { name: 'Corridors' }).click()
    await plain.waitForURL('**/corridors')
    await context.close()
  })

  test('asks no other host, and logs no error', () => {
    const sent = asked.filter((url) => !url.startsWith('data:'))
    expect(sent.filter((url) => !url.startsWith(`${demo.origin}/`))).toEqual([])
    expect(sent.length).toBeGreaterThan(6)
    expect(complaints).toEqual([])
  })
})
