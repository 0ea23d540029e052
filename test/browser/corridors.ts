import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { foreignRequests, isTooWide, Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.shared()
})
afterAll(() => scene?.stop())

describe('the corridors in a browser', () => {
  test('are a list that links to the board', async () => {
    const { page, asked, complaints, context } = await scene.visit()
    await page.goto('/corridors')
    const charts = await page.locator('.corridor-table svg.spark').count()
    const away = page.getByText('The last 30 days are not available at the moment')
    if (await away.isVisible()) expect(charts).toBe(0)
    else expect(charts).toBeGreaterThan(40)
    expect(await page.locator('.corridor-table tbody tr').count()).toBe(50)
    await page.getByRole('link', { name: /^GBP.*KES$/ }).click()
    expect(await page.title()).toBe('GBP to KES · Corridor')
    expect(foreignRequests(asked, scene.demo.origin)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('are sorted and filtered without scripts', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto('/corridors')
    await page.getByLabel('From or to').selectOption('KES')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'Average below best' }).click()
    expect(await page.locator('th[aria-sort]').textContent()).toStartWith('Average below best')
    for (const name of await page.locator('.corridor-table tbody th').allTextContents())
      expect(name).toContain('KES')
    await context.close()
  })

  test('are sorted with the form on a phone, where the keyboard skips the column heads', async () => {
    const { page, context } = await scene.visit({ width: 360 })
    await page.goto('/corridors')
    await page.getByLabel('Order by').selectOption({ label: 'Newest best price' })
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**sort=age-asc')
    expect(await page.getByLabel('Order by').inputValue()).toBe('age-asc')
    await page.getByRole('button', { name: 'Show' }).focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("tbody") !== null')).toBe(true)
    await context.close()
  })

  test('do not scroll sideways, on a phone or anywhere', async () => {
    for (const width of [320, 360, 705, 1089, 1120, 1280]) {
      const { page, context } = await scene.visit({ width })
      await page.goto('/corridors')
      expect([width, await isTooWide(page)]).toEqual([width, false])
      const frame = `document.querySelector('.table-frame')`
      const cut = await page.evaluate(`${frame}.scrollWidth - ${frame}.clientWidth`)
      expect([width, cut]).toEqual([width, 0])
      if (width === 360) await scene.picture(page, 'corridors-phone')
      await context.close()
    }
  })

  test.each(['light', 'dark'] as const)('are accessible, in %s', async (scheme) => {
    const { page, context } = await scene.visit({ scheme })
    for (const path of [
      '/corridors',
      '/corridors?currency=XXX',
      '/corridors?currency=ZZZZ&page=9',
    ]) {
      await page.goto(path)
      expect([path, await scene.faults(page)]).toEqual([path, []])
    }
    await page.goto('/corridors')
    await scene.picture(page, `corridors-${scheme}`)
    await context.close()
  })
})
