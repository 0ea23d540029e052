import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { firstVisitCost } from './cost.ts'
import { foreignRequests, isTooWide, Scene } from './scene.ts'

const BOARD = '/?from=GBP&to=KES&amount=120&period=90d'
/** A corridor with current prices and older ones. */
const OLDER = '/?from=TZS&to=UGX'
const METHOD = '/methodology'
const WIRE_BYTES_MAX = 150_000
const INTERACTIVE_MS_MAX = 1000

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
  await scene.drawsCharts()
})
afterAll(() => scene?.stop())

const reading = (page: Page) => page.locator('.chart-reading')
const firstProvider = (page: Page) => page.locator('.market-table tbody tr').first()

describe('the market board in a browser', () => {
  test('shows the providers of a corridor and its chart', async () => {
    const { page, asked, complaints, context } = await scene.visit()
    await page.goto(BOARD)
    expect(await page.title()).toBe('GBP to KES · Corridor')
    expect(await page.locator('.market-table tbody tr').count()).toBeGreaterThan(8)
    const net = await firstProvider(page).locator('.net').textContent()
    expect(await page.locator('.cards .figure').first().textContent()).toBe(`${net} KES`)
    await page.locator('.chart-plot .uplot canvas').waitFor()
    expect(await page.locator('.chart-ends').count()).toBe(0)
    expect(await page.locator('.key-samples').isVisible()).toBe(true)
    expect(await page.locator('#series tbody tr').count()).toBe(91)
    await scene.picture(page, 'board-light')
    expect(foreignRequests(asked, scene.demo.origin)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  test("shows the table's values at the mouse", async () => {
    const { page, context } = await scene.visit()
    await page.goto(BOARD)
    const over = page.locator('.chart-plot .u-over')
    await over.hover({ position: { x: 200, y: 100 } })
    const shown = (await reading(page).textContent())!
    const [, date, mid] =
      /^(\d+ \w+ \d+): mid ([\d.,]+)(?: \(of [^)]+\))?, best (?:none|[\d.,]+), new prices \d+$/.exec(
        shown,
      )!
    const day = new Date(`${date} UTC`).toISOString().slice(0, 10)
    const row = page.locator('#series tbody tr', { has: page.locator(`time[datetime^="${day}"]`) })
    expect(await row.locator('td').nth(1).textContent()).toEndWith(mid!)
    await page.mouse.move(5, 5)
    expect(await reading(page).textContent()).toStartWith('Point at the chart')
    await context.close()
  })

  test('draws how the mid moved in a day, and shows its values', async () => {
    const { page, complaints, context } = await scene.visit()
    await page.route('**/*period=30d', async (route) => {
      const response = await route.fetch()
      const candles = ['171 173 170.5 172', '172 172.5 170 170.5']
      let nth = 0
      const body = (await response.text()).replaceAll(
        /(<\/time><\/td><td class="number")/g,
        (cell) => `${cell} data-candle="${candles[nth++ % candles.length]}"`,
      )
      await route.fulfill({ response, body })
    })
    await page.goto(BOARD.replace('90d', '30d'))
    await page.locator('.chart-plot .uplot canvas').waitFor()
    await page.locator('.chart-plot').focus()
    await page.keyboard.press('ArrowLeft')
    expect(await reading(page).textContent()).toMatch(/\(from 170\.50 to 173\.00\)/)
    await scene.picture(page, 'board-candles')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('shows another amount, corridor and period', async () => {
    const { page, context } = await scene.visit()
    await page.goto('/')
    await page.getByLabel('Send').fill('€1,000')
    await page.getByLabel('From', { exact: true }).fill('EUR')
    await page.getByLabel('To', { exact: true }).fill('MAD')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL('**/?amount=%E2%82%AC1%2C000&from=EUR&**&to=MAD&period=90d&**')
    expect(await page.locator('.cards h2').first().textContent()).toEndWith('for €1,000')
    await page.getByRole('link', { name: 'a year' }).click()
    await page.waitForURL('**period=1y#chart')
    expect(await page.locator('#series tbody tr').count()).toBe(366)
    await context.close()
  })

  test('copies a call that works once a key is filled in', async () => {
    const { page, context } = await scene.visit()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(BOARD)
    await page.getByRole('button', { name: /^Copy the call for the providers/ }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    const call = (await page.evaluate('navigator.clipboard.readText()')) as string
    const key = scene.demo.keys.free!
    const shell = Bun.spawn(['sh', '-c', call], { env: { ...process.env, CORRIDOR_KEY: key } })
    const answer = (await new Response(shell.stdout).json()) as Record<string, unknown>
    expect([answer.from, answer.to, answer.amount]).toEqual(['GBP', 'KES', 120])
    await context.close()
  })

  test('works with the keyboard alone', async () => {
    const { page, context } = await scene.visit()
    await page.goto(BOARD)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toStartWith('Skip to')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('amount')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('50')
    await page.keyboard.press('Enter')
    await page.waitForURL('**amount=50**')
    await page.locator('.chart-plot').focus()
    await page.keyboard.press('End')
    const last = await reading(page).textContent()
    await page.keyboard.press('ArrowLeft')
    const before = await reading(page).textContent()
    expect(before).toMatch(/^\d+ \w+ \d+: mid /)
    expect(before).not.toBe(last)
    await page.keyboard.press('Home')
    const [oldest] = (await page
      .locator('#series tbody time')
      .last()
      .getAttribute('datetime'))!.split('T')
    expect(
      new Date(`${(await reading(page).textContent())!.split(':')[0]} UTC`).toISOString(),
    ).toStartWith(oldest!)
    await context.close()
  })

  test('shows when a price was observed, by touch and by keyboard', async () => {
    const { page, context } = await scene.visit({ width: 360, isScripted: false })
    await page.goto(BOARD)
    const seen = firstProvider(page).locator('.seen')
    expect(await seen.locator('time').isVisible()).toBe(false)
    await seen.locator('summary').click()
    expect(await seen.locator('time').textContent()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/)
    expect(await isTooWide(page)).toBe(false)
    await seen.locator('summary').focus()
    await page.keyboard.press('Enter')
    expect(await seen.locator('time').isVisible()).toBe(false)
    await context.close()
  })

  test('reverses the direction with the same amount and period', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto(BOARD)
    await page.getByRole('link', { name: 'The other way: KES to GBP' }).click()
    await page.waitForURL('**/?from=KES&to=GBP&amount=120&period=90d')
    await context.close()
  })

  test('shows what to send for an amount to arrive, and back, without scripts', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto(BOARD)
    await page.getByLabel('Or they get').fill('KSh 25,000')
    await page.getByRole('button', { name: 'Compare' }).click()
    const headline = page.locator('.cards h2').first()
    expect(await headline.textContent()).toBe(
      'About what to send for 25,000 KES, from the United Kingdom to Kenya',
    )
    expect(await page.locator('.cards .figure').first().textContent()).toStartWith('£')
    expect(await page.getByLabel('Send').inputValue()).toBe('')
    await page.getByLabel('Send').fill('£90')
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await headline.textContent()).toStartWith("About what they'd get for £90")
    expect(await page.getByLabel('Or they get').inputValue()).toBe('')
    await page.getByLabel('Send').fill('£91')
    await page.getByLabel('Or they get').fill('25000')
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await page.locator('.field-error').first().textContent()).toStartWith('Fill in one of')
    await context.close()
  })

  test('folds older prices below, without a best tag', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto(OLDER)
    expect(await firstProvider(page).locator('.tag-good').count()).toBe(1)
    const older = page.locator('.older')
    expect(await older.locator('tbody tr').first().isVisible()).toBe(false)
    await older.getByText(/^Older prices, seen .* ago$/).click()
    expect(await older.locator('tbody tr').first().isVisible()).toBe(true)
    expect(await older.locator('.tag-good').count()).toBe(0)
    expect(await isTooWide(page)).toBe(false)
    await context.close()
  })

  test('shows everything without scripts', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto(BOARD)
    expect(await page.locator('.market-table tbody tr').count()).toBeGreaterThan(8)
    for (const line of ['mid', 'best'])
      expect(await page.locator(`.chart-plot .spark-${line}`).first().isVisible()).toBe(true)
    expect(await page.locator('.chart-ends').isVisible()).toBe(true)
    expect(await page.locator('.key-samples').isVisible()).toBe(false)
    expect(await page.locator('.copy-box button').first().isVisible()).toBe(false)
    await page.getByLabel('Send').fill('75 GBP')
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await page.locator('.cards h2').first().textContent()).toContain('for £75,')
    await page.getByText('Show as a table').click()
    expect(await page.locator('#series tbody tr').first().isVisible()).toBe(true)
    await context.close()
  })

  test('does not scroll sideways on a phone, or anywhere', async () => {
    for (const width of [320, 360, 705, 1089, 1280]) {
      const { page, context } = await scene.visit({ width })
      for (const path of [BOARD, '/?from=TZS&to=UGX&amount=123456789.5', '/?from=USD&to=USD']) {
        await page.goto(path)
        expect([width, path, await isTooWide(page)]).toEqual([width, path, false])
        const cut = await page.evaluate(
          `[...document.querySelectorAll('.table-frame:not(.chart-table)')]
            .filter((frame) => frame.scrollWidth > frame.clientWidth + 1).length`,
        )
        expect([width, path, cut]).toEqual([width, path, 0])
      }
      if (width === 360) {
        await page.goto(METHOD)
        expect(await isTooWide(page)).toBe(false)
        await page.goto(BOARD)
        expect(await scene.faults(page)).toEqual([])
        await scene.picture(page, 'board-phone')
      }
      await context.close()
    }
  })

  test.each(['light', 'dark'] as const)('is accessible, in %s', async (scheme) => {
    const { page, context } = await scene.visit({ scheme })
    for (const path of [BOARD, OLDER, METHOD, '/?from=USD&to=XXX&amount=x', '/?from=USD&to=USDT']) {
      await page.goto(path)
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect([path, await scene.faults(page)]).toEqual([path, []])
    }
    await page.goto(BOARD)
    await scene.picture(page, `board-${scheme}`)
    await context.close()
  })

  test('follows a change from light to dark', async () => {
    const { page, context } = await scene.visit()
    await page.goto(BOARD)
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await colour()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('.chart-plot .uplot canvas').waitFor()
    expect(await colour()).not.toBe(light)
    expect(await page.locator('.chart-plot .uplot').count()).toBe(1)
    await context.close()
  })

  test('is small and paints quickly', async () => {
    const { bytes, paintMs, interactiveMs } = await firstVisitCost(scene, BOARD)
    const listed = (ms: readonly number[]) => `${ms.map(Math.round).join(', ')} ms`
    console.log(`board: ${bytes.at(-1)} bytes over the wire`)
    console.log(`board: first contentful paint after ${listed(paintMs)}`)
    console.log(`board: interactive after ${listed(interactiveMs)}`)
    expect(bytes[0]).toBeGreaterThan(5_000)
    expect(bytes.at(-1)).toBeLessThan(WIRE_BYTES_MAX)
    expect(paintMs[0]).toBeLessThan(INTERACTIVE_MS_MAX)
    expect(interactiveMs[0]).toBeLessThan(INTERACTIVE_MS_MAX)
  })
})
