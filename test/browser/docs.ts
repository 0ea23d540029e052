import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import type { DemoServer } from './demo-server.ts'
import { foreignRequests, Scene, type Visit } from './scene.ts'

describe('/docs in a browser', () => {
  let asked: string[]
  let complaints: string[]
  let scene: Scene
  let demo: DemoServer
  let page: Page
  let phone: Visit

  beforeAll(async () => {
    scene = await Scene.shared()
    demo = scene.demo
    ;({ page, asked, complaints } = await scene.visit())
  })
  afterAll(() => scene?.stop())

  test('lists every operation of the document', async () => {
    await page.goto(`${demo.origin}/docs`)
    await page.locator('.opblock').first().waitFor()
    const { paths } = (await (await fetch(`${demo.origin}/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods))
    expect(await page.locator('.opblock').count()).toBe(operations.length)
  })

  test('returns 200 to a call with a pasted key, its parameters filled in from their examples', async () => {
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
    await scene.picture(page, 'docs', { fullPage: false })
  })

  test('returns 200 to a list, sent as one comma-separated parameter', async () => {
    const operation = page.locator('#operations-Pairs-fetchMulti')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.execute').click()
    const live = operation.locator('.live-responses-table')
    await live.waitFor()
    expect(await live.locator('.response-col_status').last().textContent()).toStartWith('200')
    expect(await operation.locator('.request-url').textContent()).toEndWith('to=KES,NGN')
  })

  test('returns 200 to the history without its optional parameters', async () => {
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
    phone = await scene.visit({ width: 360, scheme: 'dark' })
    const { page } = phone
    await page.goto(`${demo.origin}/docs`)
    await page.locator('#operations-Rates-convertAmount .opblock-summary-control').click()
    await page.locator('#operations-Rates-convertAmount .responses-table').waitFor()
    const background = 'getComputedStyle(document.documentElement).backgroundColor'
    expect(await page.evaluate(background)).toBe('rgb(28, 32, 34)')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.emulateMedia({ colorScheme: 'light' })
    await until('the page is light', async () => {
      return (await page.evaluate(background)) !== 'rgb(28, 32, 34)'
    })
  })

  test('has no accessibility error in light or dark at any width, after a call', async () => {
    const operation = phone.page.locator('#operations-Rates-convertAmount')
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table').waitFor()
    expect(await scene.unfit(phone.page, 'docs', [320, 1280])).toEqual([])
    await phone.context.close()
  })

  test('has the frame of every page except for the choice of a language, with its links', async () => {
    const frames = async () => {
      const found: object[] = []
      await page.evaluate("document.querySelector('.languages')?.remove()")
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        found.push({
          header: await page.locator('.site-header').boundingBox(),
          brand: await page.locator('.brand').boundingBox(),
          footer: (await page.locator('.site-footer').boundingBox())?.height,
        })
        await page.getByRole('link', { name: 'How we calculate' }).click({ trial: true })
      }
      return found
    }
    const here = await frames()
    await page.getByRole('link', { name: 'How we calculate' }).click()
    await page.getByRole('heading', { name: 'How we calculate' }).waitFor()
    await page.waitForLoadState('load')
    expect(await frames()).toEqual(here)
  })

  test('shows the guide instead of the reference without scripts', async () => {
    const { page: plain, context } = await scene.visit({ isScripted: false })
    await plain.goto(`${demo.origin}/docs`)
    expect(await plain.locator('.guide').textContent()).toContain('X-API-Key')
    await plain.getByRole('link', { name: 'Corridors' }).click()
    await plain.waitForURL('**/corridors')
    await context.close()
  })

  test('contacts no other host, and logs no error', () => {
    expect(foreignRequests(asked, demo.origin)).toEqual([])
    expect(asked.length).toBeGreaterThan(6)
    expect(complaints).toEqual([])
  })
})
