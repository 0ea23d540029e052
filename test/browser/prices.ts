import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { foreignRequests, isTooWide, Scene, type Visit } from './scene.ts'

const PASSWORD = 'correct horse battery'
const WORKBOOK = join(import.meta.dir, '../file/table/workbooks/demo.xlsx')
const PRICES = '/developer/prices'

let scene: Scene

beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene?.stop())

/** A person whose account may record, signed in, on the developer page. */
async function treasurer(look: Parameters<Scene['visit']>[0], email: string): Promise<Visit> {
  await scene.demo.command('account', 'create', '--email', email, '--role', 'treasury')
  const visit = await scene.visit(look)
  const { page } = visit
  await page.goto('/sign-up')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL('**/mailed')
  await page.goto(await scene.demo.linkTo(email))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.goto('/developer')
  return visit
}

async function examined({ page }: Visit, name: string): Promise<void> {
  expect([name, await scene.faults(page)]).toEqual([name, []])
  expect([name, await isTooWide(page)]).toEqual([name, false])
  await scene.picture(page, name)
}

/** Simulates a file dropped, or a table pasted, on the page. */
const transferred = (page: Page, event: 'drop' | 'paste', data: Record<string, string>) =>
  page.evaluate(
    `{
      const transfer = new DataTransfer()
      const data = ${JSON.stringify(data)}
      for (const [type, text] of Object.entries(data))
        if (type === 'file') transfer.items.add(new File([text], 'dropped.csv'))
        else transfer.setData(type, text)
      const init = { bubbles: true, cancelable: true }
      document.body.dispatchEvent(${
        event === 'drop'
          ? "new DragEvent('drop', { ...init, dataTransfer: transfer })"
          : "new ClipboardEvent('paste', { ...init, clipboardData: transfer })"
      })
    }`,
  )

describe('a treasurer', () => {
  test.each([
    ['light', 1280],
    ['dark', 360],
    ['light', 320],
  ] as const)(
    'gets from an Excel file to recorded prices, in %s at %i px',
    async (scheme, width) => {
      const visit = await treasurer({ scheme, width }, `ada-${scheme}-${width}@example.org`)
      const { page } = visit
      const look = `${scheme}-${width}`
      await page.getByRole('link', { name: 'Record prices from a table' }).click()
      await examined(visit, `prices-${look}`)
      await page.getByLabel('Excel or CSV file').setInputFiles(WORKBOOK)
      await page.getByRole('heading', { name: 'demo.xlsx' }).waitFor()
      await examined(visit, `prices-preview-${look}`)
      await page.getByText('How the table is read').click()
      await examined(visit, `prices-settings-${look}`)
      await page.getByRole('button', { name: 'Record 3 prices' }).click()
      await page.getByText('3 prices recorded.').waitFor()
      await examined(visit, `prices-recorded-${look}`)
      await page.getByRole('link', { name: 'See the rows' }).click()
      await examined(visit, `prices-rows-${look}`)
      await page.getByRole('link', { name: 'Withdraw this upload' }).click()
      await page.getByLabel('Why, for everyone to read').fill('a test')
      await examined(visit, `prices-withdraw-${look}`)
      await page.getByRole('button', { name: 'Withdraw 3 prices' }).click()
      await page.getByText('Withdrawn: the 3 prices').waitFor()
      await examined(visit, `prices-withdrawn-${look}`)
      expect(foreignRequests(visit.asked, scene.demo.origin)).toEqual([])
      expect(visit.complaints).toEqual([])
      await visit.context.close()
    },
  )

  test('drops a file, pastes a table of a web page, and reads the error in its cell', async () => {
    const visit = await treasurer({ width: 1280 }, 'drop@example.org')
    const { page } = visit
    await page.goto(PRICES)
    await transferred(page, 'drop', { file: 'provider;from;to;rate\nWise;GBP;KES;174,25\n' })
    await page.getByRole('heading', { name: 'dropped.csv' }).waitFor()
    await page.goto(PRICES)
    const row = (cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
    const rows = [
      ['Company', 'Corridor', 'Rate'],
      ['Wise', 'GBP/KES', '174.25'],
      ['Wyse', 'GBP/KES', 'ask us'],
    ]
    await transferred(page, 'paste', { 'text/html': `<table>${rows.map(row).join('')}</table>` })
    await page.getByText('1 row cannot be recorded, so none is.').waitFor()
    await page.getByText('“Wyse” is not a provider here; is it wise?').waitFor()
    await examined(visit, 'prices-wrong-light-1280')
    await page.setViewportSize({ width: 320, height: 900 })
    await examined(visit, 'prices-wrong-light-320')
    expect(visit.complaints).toEqual([])
    await visit.context.close()
  })

  test('needs no mouse', async () => {
    const { page, context } = await treasurer({ width: 1280 }, 'keys@example.org')
    await page.goto(PRICES)
    await page.getByLabel('Or a pasted table').focus()
    await page.keyboard.type('provider,from,to,rate')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Wise,GBP,KES,174.25')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Pasted table' }).waitFor()
    const button = page.getByRole('button', { name: 'Record 1 price' })
    for (
      let i = 0;
      i < 20 && !(await button.evaluate((one) => one === one.ownerDocument.activeElement));
      i++
    )
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('1 price recorded.').waitFor()
    await context.close()
  })

  test('needs no script', async () => {
    const visit = await treasurer({ width: 1280, isScripted: false }, 'plain@example.org')
    const { page } = visit
    await page.goto(PRICES)
    await page.getByLabel('Excel or CSV file').setInputFiles(WORKBOOK)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Record 3 prices' }).click()
    await page.getByText('3 prices recorded.').waitFor()
    await visit.context.close()
  })
})
