import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { until } from '../support/until.ts'
import { isTooWide, Scene, strangers, type Visit } from './scene.ts'

const ADA = 'ada.lovelace@example.org'
const PASSWORD = 'correct horse battery'
const BOARD = '/?from=GBP&to=KES&amount=120'

setDefaultTimeout(90_000)

type Call = { readonly headers: Record<string, string>; readonly body: string }

let scene: Scene
/** A server of a customer, what it answers, and what it was called with. */
let receiver: Bun.Server<undefined>
let answer = 200
const calls: Call[] = []
let ada: Visit
let secret: string

beforeAll(async () => {
  receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      calls.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response(null, { status: answer })
    },
  })
  scene = await Scene.start({ WEBHOOK_ALLOW: '127.0.0.1' })
  ada = await scene.visit()
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write'])
})

afterAll(async () => {
  await scene?.stop()
  await receiver.stop(true)
})

const hook = () => `http://127.0.0.1:${receiver.port}/alerts`

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
}

/** Follows the way of somebody without an account, from the sign-in to the confirmation. */
async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Get one free' }).click()
  await page.waitForURL('**/sign-up?*')
  await fillIn(page, email)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForURL('**/mailed')
  await page.goto(await scene.demo.linkTo(email))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Confirm' }).click()
}

async function examined({ page }: Visit, name: string): Promise<void> {
  expect([name, await scene.faults(page)]).toEqual([name, []])
  expect([name, await isTooWide(page)]).toEqual([name, false])
  await scene.picture(page, name)
}

/** Looks at the page again until a delivery stands there. */
async function untilShown(page: Page, text: string): Promise<void> {
  await until(`the page shows ${text}`, async () => {
    await page.reload()
    return (await page.locator('tbody').textContent())!.includes(text)
  })
}

const verified = ({ headers, body }: Call, by: string) => new Webhook(by).verify(body, headers)

describe('somebody without an account', () => {
  test('presses the button of the board, signs up and is led back to the alert', async () => {
    const { page } = ada
    await page.goto(BOARD)
    const button = page.getByRole('link', { name: 'Tell me when…' })
    await button.waitFor()
    await examined(ada, 'alert-board-light-1280')
    await button.click()
    await page.getByText('Alerts belong to an account.').waitFor()
    await examined(ada, 'alert-sign-in-light-1280')
    await signUp(page, ADA)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('heading', { name: 'Tell me when…' }).waitFor()
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('United Kingdom · GBP')
    expect(await page.getByLabel('For sending').inputValue()).toBe('120')
    expect(await page.locator('.figures').textContent()).toMatch(/GBP to KES as of \d\d:\d\d UTC/)
    expect(await page.locator('.figures').textContent()).toMatch(/arrives for £120[\d,.]+ KES/)
  })

  test('sees only the fields that matter', async () => {
    const { page } = ada
    const seen = (label: string) => page.getByLabel(label).isVisible()
    const all = ['For sending', 'Value', 'Measured', 'When the newest price is']
    const fields = async () =>
      (await Promise.all(all.map(async (one) => ((await seen(one)) ? [one] : [])))).flat()
    expect(await fields()).toEqual(['For sending', 'Value'])
    await page.getByLabel('Watch').selectOption('stale')
    expect(await fields()).toEqual(['When the newest price is'])
    await page.getByLabel('Watch').selectOption('mid')
    expect(await fields()).toEqual(['Value'])
    await page.getByLabel('When', { exact: true }).selectOption('moves_pct')
    expect(await fields()).toEqual(['Value', 'Measured'])
    await page.getByLabel('Watch').selectOption('best_current_net')
    await page.getByLabel('When', { exact: true }).selectOption('above')
    expect(await fields()).toEqual(['For sending', 'Value'])
  })

  test('reads what is wrong below each field', async () => {
    const { page } = ada
    await page.getByLabel('Value').fill('a lot')
    await page.getByLabel('Address of the server').fill('https://10.1.2.3/hook')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByText('“a lot” is not an amount we can read.').waitFor()
    expect(await page.getByLabel('Value').inputValue()).toBe('a lot')
    await page.getByLabel('Value').fill('1000000 KES')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.locator('#url-error').waitFor()
    await examined(ada, 'alert-form-wrong-light-1280')
  })

  test('makes it, and copies the secret that is shown once', async () => {
    const { page } = ada
    await page.getByLabel('Address of the server').fill(hook())
    await page.getByLabel('Name').fill('Rent for Nairobi')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    secret = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    await examined(ada, 'alert-secret-light-1280')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('heading', { name: 'Rent for Nairobi' }).waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  test('sends a test, which the server can verify, and sees its answer', async () => {
    const { page } = ada
    await page.getByText('Nothing was sent yet.').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('A test is on its way.').waitFor()
    await untilShown(page, 'arrived')
    expect(await page.locator('tbody tr').textContent()).toMatch(/test[\s\S]*200 after/)
    expect(verified(calls.at(-1)!, secret)).toMatchObject({ data: { corridor: 'GBP/KES' } })
    await page.getByText('Show', { exact: true }).click()
    expect(await page.locator('.sent pre').textContent()).toBe(calls.at(-1)!.body)
  })

  test('sees what a server says that is down', async () => {
    const { page } = ada
    answer = 503
    await page.getByRole('button', { name: 'Send a test' }).click()
    await untilShown(page, '503 after')
    await page.getByText('given up', { exact: true }).waitFor()
    answer = 200
    await examined(ada, 'alert-deliveries-light-1280')
  })

  test('has met nothing strange, and no error in the browser', () => {
    expect(strangers(ada.asked, scene.demo.origin)).toEqual([])
    expect(ada.complaints.filter((text) => !/status of 400/.test(text))).toEqual([])
  })
})

describe('every page of alerts', () => {
  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'is accessible and does not scroll sideways, in %s at %i px',
    async (scheme, width) => {
      const visit = await scene.visit({ scheme, width })
      const { page, context } = visit
      await page.goto('/sign-in')
      await fillIn(page, ADA)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/developer')
      const look = `${scheme}-${width}`
      const examine = async (name: string) => {
        for (const details of await page.locator('details').all())
          await details.evaluate((element) => element.setAttribute('open', ''))
        await examined(visit, `${name}-${look}`)
      }
      await page.goto(BOARD)
      await examined(visit, `alert-board-${look}`)
      await page.getByRole('link', { name: 'Tell me when…' }).click()
      await examine('alert-form')
      await page.goto('/developer/alerts')
      await examine('alerts')
      await page.getByRole('link', { name: 'Rent for Nairobi' }).click()
      await examine('alert-deliveries')
      await page.getByRole('link', { name: 'New secret' }).click()
      await examine('alert-new-secret')
      await context.close()
    },
  )
})
