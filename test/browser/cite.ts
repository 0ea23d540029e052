import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { removeScratch } from '../support/scratch.ts'
import { foreignRequests, isTooWide, Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await Scene.shared()
})
afterAll(async () => {
  await scene?.stop()
  await removeScratch()
})

const PAGES = { board: '/', pair: '/send/united-kingdom-to-kenya?amount=200' }

describe('"Cite this"', () => {
  test.each(
    Object.entries(PAGES).flatMap(([name, path]) =>
      [320, 768, 1280].map((width) => [name, width, path] as const),
    ),
  )('on the %s at %p pixels names the page by its number, time and address', async (...args) => {
    const [name, width, path] = args
    const { page, context, asked, complaints } = await scene.visit({ width, scheme: 'light' })
    await page.goto(path)
    await page.locator('a[href$="#cite"]').click()
    await page.waitForURL(/known_at=/)
    const [text, bibtex] = await Promise.all(
      ['#cite', '#bibtex'].map((id) => page.locator(id).evaluate((box) => box.textContent ?? '')),
    )
    const [url] = /https?:\/\/\S+known_at=[\d:TZ.-]+/.exec(text!) ?? []
    expect(url).toStartWith(scene.demo.origin)
    expect(bibtex).toContain(`url = {${url}}`)
    for (const part of [text, bibtex]) expect(part).toMatch(/SHA-256 [0-9a-f]{64}/)
    expect(await scene.faults(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await scene.picture(page, `cite-${name}-${width}`)
    expect([foreignRequests(asked, scene.demo.origin), complaints]).toEqual([[], []])
    await context.close()
  })

  test('links to a page that states its time, and prints without screen-only elements', async () => {
    const { page, context } = await scene.visit({ width: 768, scheme: 'light' })
    await page.goto(PAGES.pair)
    await page.locator('a[href$="#cite"]').click()
    await page.waitForURL(/known_at=/)
    expect(await page.locator('main').textContent()).toContain('2026')
    expect(await scene.faults(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('nav').first().isVisible()).toBe(false)
    expect(await isTooWide(page)).toBe(false)
    await scene.picture(page, 'cite-known-print')
    await context.close()
  })
})
