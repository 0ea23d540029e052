import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { firstVisitCost } from './cost.ts'
import { downloaded, foreignRequests, isTooWide, Scene } from './scene.ts'

const PAIR = '/send/united-kingdom-to-ghana?amount=200'
const PAGES = [
  ...[PAIR, '/send', '/providers', '/providers/wise', '/embed?source=GB&target=GH', '/data'],
  ...['/ranking', '/ar/ranking?of=providers'],
]
const PHONE = { width: 360, height: 640 }
const WIRE_BYTES_MAX = 60_000
const PAINT_MS_MAX = 1000

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
  await record([
    { provider_id: 'wise', rate: 15.4, fee: 2.2, pay_in: ['bank_account'], delivery_max: 'P1D' },
    { provider_id: 'ria', rate: 15.2, fee: 0, pay_in: ['debit_card'], pay_out: ['mobile_money'] },
    { provider_id: 'moneygram', rate: 15, fee: 4.99, pay_in: ['cash'], delivery_max: 'PT1H' },
  ])
})
afterAll(() => scene?.stop())

/** Records offers from the United Kingdom to Ghana, as of two hours ago. */
async function record(offers: readonly object[]): Promise<void> {
  const effective_from = new Date(Date.now() - 7_200_000).toISOString()
  const pair = { from: 'GBP', to: 'GHS', source_country: 'GB', target_country: 'GH' }
  const rows = offers.map((one) => ({ ...pair, effective_from, ...one }))
  const reply = await fetch(`${scene.demo.origin}/api/v1/rates`, {
    method: 'POST',
    headers: { 'x-api-key': scene.demo.keys.enterprise!, 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  expect([reply.status, await reply.json()]).toEqual([
    201,
    { inserted: rows.length, ids: expect.any(Array) },
  ])
}

const rows = (page: Page) => page.locator('.market-table tbody tr')

/** The parts of a page that a visitor sees without scrolling. */
const seen = (page: Page, parts: readonly string[]): Promise<boolean[]> =>
  Promise.all(
    parts.map(async (part) => {
      const box = await page.locator(part).first().boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= PHONE.height
    }),
  )

describe('the page of a pair of countries in a browser', () => {
  test('sorts by cost and keeps the order, a filter and the amount in the address', async () => {
    const { page, context } = await scene.visit({ width: 320, isScripted: false })
    await page.goto(PAIR)
    await page.getByRole('link', { name: 'total cost', exact: true }).click()
    expect(new URL(page.url()).searchParams.get('sort')).toBe('cost')
    await page.locator('.filters summary').click()
    await page.getByLabel('a day', { exact: true }).check()
    await page.getByRole('button', { name: 'Show these' }).click()
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ amount: '200', sort: 'cost', delivery_max: 'P1D' },
    })
    const bar = await page.locator('.row-bar').first().boundingBox()
    expect(bar!.width).toBeGreaterThan(50)
    await context.close()
  })

  test.each([PAIR, '/', '/?from=GBP&to=KES'])(
    'shows amount, countries and the first price of %s on a phone without scrolling',
    async (path) => {
      const { page, context } = await scene.visit({ width: PHONE.width, isScripted: false })
      await page.setViewportSize(PHONE)
      await page.goto(path)
      const price = path === '/' ? '.flag-links .muted' : '.cards .figure'
      const parts = ['#amount', '#from', '#to', price]
      expect(await seen(page, parts)).toEqual(parts.map(() => true))
      expect(await isTooWide(page)).toBe(false)
      await scene.picture(page, `first-view${path.replace(/\W+/g, '-')}`, { fullPage: false })
      await context.close()
    },
  )

  test('is found by names that people write, without scripts', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto('/')
    await page.getByLabel('From', { exact: true }).fill('UK')
    await page.getByLabel('To', { exact: true }).fill('nigeria')
    await page.getByLabel('Send').fill('£150')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL('**/send/united-kingdom-to-nigeria?amount=%C2%A3150')
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('Nigeria · NGN')
    await page.getByLabel('To', { exact: true }).fill('🇬🇭')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL('**/send/united-kingdom-to-ghana?amount=%C2%A3150')
    await page.getByLabel('To', { exact: true }).fill('Nige')
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await page.locator('.field-error').textContent()).toContain('Niger or Nigeria')
    await context.close()
  })

  test('proposes countries by name, code or currency, and the first keystroke replaces the value', async () => {
    const { page, context } = await scene.visit()
    await page.goto(PAIR)
    const proposals = await page.$$eval('#places option', (options) =>
      options.map((option) => [option.getAttribute('value'), option.getAttribute('label')]),
    )
    for (const typed of ['Nigeria', 'NGN', 'Naira', '🇳🇬'])
      expect([typed, proposals.filter((one) => one.join(' ').includes(typed))]).toEqual([
        typed,
        [['Nigeria · NGN', '🇳🇬 Nigerian Naira']],
      ])
    await page.getByLabel('To', { exact: true }).focus()
    await page.keyboard.type('Kenya')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/send/united-kingdom-to-kenya?*')
    await context.close()
  })

  test('filters by payment method and speed with checkboxes, without scripts', async () => {
    const { page, context } = await scene.visit({ width: 360, isScripted: false })
    await page.goto(PAIR)
    await page.getByText('Pay with, get as, arrives within').click()
    await page.getByLabel('cash', { exact: true }).first().check()
    await page.getByLabel('an hour').check()
    await page.getByRole('button', { name: 'Show these' }).click()
    await page.waitForURL('**pay_in=cash&delivery_max=PT1H')
    expect(await rows(page).first().textContent()).toContain('MoneyGram')
    expect(await page.locator('.filters').getAttribute('open')).not.toBeNull()
    expect(await isTooWide(page)).toBe(false)
    await scene.picture(page, 'pair-filters-phone')
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.waitForURL('**/send/united-kingdom-to-ghana?amount=200')
    await context.close()
  })

  test('shows the cost of the pair, in a bar and in words', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto(PAIR)
    const bars = page.locator('.cost-bars li')
    expect(await bars.count()).toBe(3)
    const widths = await bars
      .locator('rect:not(.cost-bar-all)')
      .evaluateAll((bar) => bar.map((one) => one.getBoundingClientRect().width))
    expect(Math.min(...widths)).toBeGreaterThan(10)
    expect(await page.locator('#costs-title + p').textContent()).toMatch(/^On average it costs \d/)
    await context.close()
  })

  test.each(PAGES)('is accessible at any width, in light and dark: %s', async (path) => {
    const { page, context, asked, complaints } = await scene.visit({ width: 360 })
    await page.goto(path)
    for (const summary of await page.locator('summary').all()) await summary.click()
    const name = path.split('?')[0]!.slice(1).replaceAll('/', '-')
    expect(await scene.unfit(page, name, [360, 1280])).toEqual([])
    expect([foreignRequests(asked, scene.demo.origin), complaints]).toEqual([[], []])
    await context.close()
  })

  test.each(['/methodology', '/embed?source=GB&target=GH'])(
    'has a neighbour %s that fits a window of 320 pixels',
    async (path) => {
      const { page, context } = await scene.visit({ width: 320 })
      await page.goto(path)
      expect(await isTooWide(page)).toBe(false)
      await context.close()
    },
  )

  test('is small and paints quickly', async () => {
    const { bytes, paintMs } = await firstVisitCost(scene, PAIR)
    console.log(`pair: ${bytes.at(-1)} bytes over the wire`)
    console.log(`pair: first contentful paint after ${paintMs.map(Math.round).join(', ')} ms`)
    expect(bytes[0]).toBeGreaterThan(5_000)
    expect(bytes.at(-1)).toBeLessThan(WIRE_BYTES_MAX)
    expect(paintMs[0]).toBeLessThan(PAINT_MS_MAX)
  })
})

describe('a frame in another site', () => {
  test('shows the prices of a pair, and no other page of ours', async () => {
    const { page, context, complaints } = await scene.visit()
    const { origin } = scene.demo
    const frames = ['/embed?source=GB&target=GH', PAIR].map(
      (path, i) => `<iframe name="f${i}" src="${origin}${path}" width="360" height="500"></iframe>`,
    )
    const site = siteOf(frames.join(''))
    await page.goto(site.url.href, { waitUntil: 'load' })
    const shown = page.frameLocator('[name=f0]')
    await shown.getByText('What arrives for').waitFor()
    expect(await shown.locator('tbody tr').count()).toBeGreaterThan(2)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      shown.getByRole('link').last().click(),
    ])
    await opened.waitForURL('**/send/united-kingdom-to-ghana?*')
    expect(page.frame('f1')!.url()).toStartWith('chrome-error:')
    const own = complaints.filter((one) => !one.includes("frame-ancestors 'none'"))
    expect(own.filter((one) => /Content Security Policy|Refused/.test(one))).toEqual([])
    await context.close()
    await site.stop()
  })

  test('shows the chart of a ranking, as drawing and as picture, and links to the ranking', async () => {
    const { page, context, complaints } = await scene.visit()
    for (const path of ['/ranking', '/ar/ranking?of=providers&order=lowest']) {
      await page.goto(path)
      const markup = (await page.locator('#embed').textContent())!
      const png = markup.replace('ranking.svg', 'ranking.png')
      const site = siteOf(markup + png)
      await page.goto(site.url.href, { waitUntil: 'load' })
      const widths = await page.$$eval('img', (all) => all.map(({ naturalWidth }) => naturalWidth))
      expect([path, widths]).toEqual([path, [720, 1440]])
      await scene.picture(page, `embedded-ranking${path.length}`, { fullPage: false })
      await page.locator('a').first().click()
      await page.waitForURL(`${scene.demo.origin}${path}`)
      await site.stop()
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** A site at another origin. */
const siteOf = (html: string) =>
  Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
  })

describe('the chart of a ranking', () => {
  test.each([
    ['/ranking', 'SVG', '<svg '],
    ['/ranking', 'PNG', '\x89PNG'],
    ['/ar/ranking', 'SVG', '<svg '],
    ['/ar/ranking', 'PNG', '\x89PNG'],
  ])('of %s is saved as %s', async (path, form, start) => {
    const { page, context } = await scene.visit({ width: 320 })
    await page.goto(path)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: new RegExp(form) }).click(),
    ])
    const bytes = await downloaded(download)
    expect(bytes.toString('latin1', 0, start.length)).toBe(start)
    expect(download.suggestedFilename()).toBe(`ranking.${form.toLowerCase()}`)
    await context.close()
  })
})
