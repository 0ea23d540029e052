import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { MailSink } from '../support/mail-sink.ts'
import { until } from '../support/until.ts'
import { foreignRequests, isTooWide, Scene, type Visit } from './scene.ts'

const ADA = 'ada.lovelace@example.org'
const GRACE = 'grace.hopper@example.org'
const PASSWORD = 'correct horse battery'
const PUBLIC_URL = 'http://corridor.example'
const BOARD = '/?from=GBP&to=KES&amount=120'

type Call = { readonly headers: Record<string, string>; readonly body: string }

let scene: Scene
/** A customer's server, its status, and the requests that it received. */
let receiver: Bun.Server<undefined>
let answer = 200
const calls: Call[] = []
let ada: Visit
let grace: Visit
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

/** Signs up a new person, from the sign-in page to the confirmation. */
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

/** Takes a picture of a page without scripts, which cannot be examined further. */
async function pictured({ page }: Visit, name: string): Promise<void> {
  expect([name, await isTooWide(page)]).toEqual([name, false])
  await scene.picture(page, name)
}

/** Reloads the page until it shows a delivery. */
async function untilShown(page: Page, text: string): Promise<void> {
  await until(`the page shows ${text}`, async () => {
    // a form that was just sent may load its response instead
    const isLoaded = await page.reload().catch(() => null)
    if (!isLoaded) return false
    return (await page.locator('tbody').allTextContents()).join().includes(text)
  })
}

/** Records a price of GBP in KES, as a provider's own program does. */
async function quote(rate: number): Promise<void> {
  const reply = await fetch(`${scene.demo.origin}/api/v1/rates`, {
    method: 'POST',
    headers: { 'x-api-key': scene.demo.keys.enterprise!, 'content-type': 'application/json' },
    body: JSON.stringify({ provider_id: 'wise', from: 'GBP', to: 'KES', rate }),
  })
  expect(reply.status).toBe(201)
}

const verified = ({ headers, body }: Call, by: string) => new Webhook(by).verify(body, headers)

describe('a person without an account', () => {
  test('clicks the button of the board, signs up and returns to the alert', async () => {
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
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('GBP · British Pound')
    expect(await page.getByLabel('For sending').inputValue()).toBe('120')
    expect(await page.locator('.figures').textContent()).toMatch(/GBP to KES as of \d\d:\d\d UTC/)
    expect(await page.locator('.figures').textContent()).toMatch(/arrives for £120[\d,.]+ KES/)
  })

  test('sees only the fields that apply', async () => {
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

  test('reads the error below each field', async () => {
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

  test('creates it, and copies the secret that is shown once', async () => {
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

  test('sends a test, which the server can verify, and sees its response', async () => {
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

  test('sees the error of a server that is down', async () => {
    const { page } = ada
    answer = 503
    await page.getByRole('button', { name: 'Send a test' }).click()
    await untilShown(page, '503 after')
    await page.getByText('given up', { exact: true }).waitFor()
    answer = 200
    await examined(ada, 'alert-deliveries-light-1280')
  })

  test('has triggered no foreign request, and no error in the browser', () => {
    expect(foreignRequests(ada.asked, scene.demo.origin)).toEqual([])
    expect(ada.complaints.filter((text) => !/status of 400/.test(text))).toEqual([])
  })
})

describe('a person with live prices, without scripts', () => {
  test('is notified of a price as soon as it is recorded', async () => {
    await scene.demo.command('account', 'create', '--email', GRACE, '--plan', 'enterprise')
    grace = await scene.visit({ isScripted: false })
    const { page } = grace
    await page.goto('/developer/alerts/new?from=GBP&to=KES&field=best')
    await signUp(page, GRACE)
    await page.getByRole('heading', { name: 'Tell me when…' }).waitFor()
    await page.getByLabel('Value').fill('175')
    await page.getByLabel('Address of the server').fill(hook())
    await page.getByRole('button', { name: 'Make the alert' }).click()
    const own = (await page.locator('#new-secret').textContent())!.trim()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByText('GBP to KES: the best rate rises above 175 KES').first().waitFor()
    await quote(176.5)
    await untilShown(page, 'arrived')
    expect(await page.locator('tbody tr').textContent()).toContain('alert')
    const fired = { type: 'alert.fired', data: { corridor: 'GBP/KES', value: 176.5 } }
    expect(verified(calls.at(-1)!, own)).toMatchObject(fired)
    await pictured(grace, 'alert-fired-light-1280')
  })

  test('is notified again after the price fell in between, however often the server fails', async () => {
    const { page } = grace
    await quote(174)
    answer = 503
    await quote(177)
    await untilShown(page, 'next try in')
    await page.getByRole('link', { name: 'Look again' }).waitFor()
    await pictured(grace, 'alert-waiting-light-1280')
    answer = 200
    await until('both arrived', async () => {
      await page.getByRole('link', { name: 'All alerts' }).click()
      await page.getByRole('link', { name: /rises above 175/ }).click()
      return (await page.getByText('arrived', { exact: true }).count()) === 2
    })
    const sent = calls.filter(({ body }) => body.includes('"value":177'))
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent.length).toBeGreaterThan(1)
  })

  test('pauses the alert, resumes it and deletes it', async () => {
    const { page } = grace
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused. You are not notified').waitFor()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Turned on.').waitFor()
    await page.getByRole('link', { name: 'Delete' }).click()
    await pictured(grace, 'alert-delete-light-1280')
    await page.getByRole('button', { name: 'Delete the alert' }).click()
    await page.getByText('Alert deleted.').waitFor()
    await page.getByText('You have no alerts yet').waitFor()
    await pictured(grace, 'alerts-empty-light-1280')
    expect(grace.complaints).toEqual([])
  })
})

describe('every page of alerts', () => {
  test('is accessible and does not scroll sideways, in light and dark, at 360 and 1280 px', async () => {
    const { page, context } = await scene.visit({ width: 360 })
    await page.goto('/sign-in')
    await fillIn(page, ADA)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/developer')
    const examine = async (name: string) => {
      for (const details of await page.locator('details').all())
        await details.evaluate((element) => element.setAttribute('open', ''))
      expect(await scene.unfit(page, name, [360, 1280])).toEqual([])
      await page.setViewportSize({ width: 360, height: 900 })
    }
    await page.goto(BOARD)
    expect(await scene.unfit(page, 'alert-board', [360, 1280])).toEqual([])
    await page.getByRole('link', { name: 'Tell me when…' }).click()
    await examine('alert-form')
    await page.goto('/developer/alerts')
    await examine('alerts')
    await page.getByRole('link', { name: 'Rent for Nairobi' }).click()
    await examine('alert-deliveries')
    await page.getByRole('link', { name: 'New secret' }).click()
    await examine('alert-new-secret')
    await context.close()
  })
})

describe('a person who is notified by email', () => {
  let mails: MailSink
  let mailed: Scene

  beforeAll(async () => {
    mails = new MailSink()
    const mailing = { SMTP_URL: mails.url, MAIL_FROM: 'corridor@example.org', PUBLIC_URL }
    mailed = await Scene.start(mailing)
  })

  afterAll(async () => {
    await mailed?.stop()
    mails.stop()
  })

  /** The path of a link in the `count`th email that leads to `there`. */
  async function linked(count: number, there: string): Promise<string> {
    const link = new RegExp(`^${PUBLIC_URL}(${there}\\?\\S+)$`, 'm')
    const found = (await mails.until(count)).flatMap((mail) => link.exec(mail)?.[1] ?? [])
    return found.at(-1)!
  }

  test('needs only an address: a click sends the form, a click in the email turns it on', async () => {
    const { page, context } = await mailed.visit({ width: 320 })
    await page.goto('/send/united-kingdom-to-ghana?amount=200')
    await page.getByLabel('More than, in GHS').fill('999999')
    await page.getByLabel('E-mail address').fill('amina@example.org')
    await page.getByRole('button', { name: 'Mail me the link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    const path = await linked(1, '/alerts/subscribe')
    await page.goto(path)
    await page.getByRole('heading', { name: 'Your mails are on' }).waitFor()
    expect([await isTooWide(page), await mailed.faults(page)]).toEqual([false, []])
    await mailed.picture(page, 'mails-on-light-320')
    await context.close()
    const plain = await mailed.visit({ isScripted: false })
    await plain.page.goto(path)
    await plain.page.getByRole('button', { name: 'Turn on' }).click()
    await plain.page.getByRole('heading', { name: 'Your mails are on' }).waitFor()
    await plain.page.goto('/fr/send/united-kingdom-to-ghana?amount=200')
    await plain.page.getByLabel('M’écrire').selectOption('monthly')
    expect(await plain.page.getByLabel('Plus de, en GHS').isVisible()).toBe(false)
    await plain.context.close()
  })

  test('ends the alert by the link in the email, without signing in', async () => {
    const { page } = await mailed.visit()
    await page.goto('/developer/alerts/new?from=GBP&to=KES')
    await page.getByRole('link', { name: 'Get one free' }).click()
    await fillIn(page, ADA)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL('**/mailed')
    await page.goto(await linked(2, '/confirm'))
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByLabel('Value').fill('200')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByText('Alert created.').waitFor()
    await page.getByRole('button', { name: 'Send a test mail' }).click()
    const path = await linked(4, '/alerts/end')
    const reader = await mailed.visit({ isScripted: false, width: 360 })
    await reader.page.goto(path)
    await reader.page.getByText('GBP to KES: the best rate rises above 200 KES').waitFor()
    await mailed.picture(reader.page, 'alert-end-light-360')
    await reader.page.getByRole('button', { name: 'End it' }).click()
    await reader.page.getByRole('heading', { name: 'This alert is ended' }).waitFor()
    await mailed.picture(reader.page, 'alert-ended-light-360')
    await page.goto('/developer/alerts')
    await page.getByText('1 ended alert').click()
    await page.getByText('it was ended by the link in a mail').waitFor()
  })

  test('takes two clicks from the page of a pair, and two more to end', async () => {
    const email = 'kofi@example.org'
    await mailed.demo.command('account', 'create', '--email', email, '--plan', 'enterprise')
    const key = mailed.demo.keys.enterprise!
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const pair = { from: 'GBP', to: 'GHS', source_country: 'GB', target_country: 'GH' }
    const asked = new URLSearchParams({ ...pair, amount: '200' })
    const api = `${mailed.demo.origin}/api/v1`
    const offers = await (await fetch(`${api}/convert?${asked}`, { headers })).json()
    const { net_converted: net } = (offers as { best: { net_converted: number } }).best
    const { page, context } = await mailed.visit({ width: 320 })
    const clicks: string[] = []
    await context.exposeFunction('clicked', (on: string) => void clicks.push(on))
    await context.addInitScript(`addEventListener('click', ({ isTrusted, target }) => {
      if (isTrusted) clicked(target.textContent.trim())
    }, true)`)

    /** Opens the next email as an email program shows it, and clicks its link. */
    const clickMail = async (there: string, before: number): Promise<string> => {
      const mail = (await mails.until(before + 1))[before]!
      expect(mail).toContain(`To: ${email}`)
      const [link] = new RegExp(`^${PUBLIC_URL}(${there}\\?\\S+)$`, 'm').exec(mail)!.slice(1)
      const shown = `<a href="${mailed.demo.origin}${link}">the link in the mail</a>`
      await page.goto(`data:text/html,${encodeURIComponent(shown)}`)
      await page.getByRole('link').click()
      return mail
    }

    await page.goto('/send/united-kingdom-to-ghana?amount=200')
    let before = mails.mails.length
    await page.getByLabel('More than, in GHS').fill(String(Math.ceil(net * 1.01)))
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Mail me the link' }).click()
    await clickMail('/alerts/subscribe', before)
    await page.getByRole('heading', { name: 'Your mails are on' }).waitFor()
    expect(clicks).toEqual(['Mail me the link', 'the link in the mail'])

    before = mails.mails.length
    const price = { ...pair, provider_id: 'wise', rate: (net / 200) * 1.03, fee: 0 }
    const reply = await fetch(`${api}/rates`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ ...price, fee_currency: 'GBP' }),
    })
    expect([reply.status, await reply.text()]).toEqual([201, expect.any(String)])
    const mail = await clickMail('/alerts/end', before)
    expect(mail).toContain('(GHS): what arrives for')
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByRole('heading', { name: 'This alert is ended' }).waitFor()
    expect(clicks.slice(2)).toEqual(['the link in the mail', 'End it'])
    await context.close()
  })

  test('shows a readable page for the link, in light and dark', async () => {
    const { page, context } = await mailed.visit({ width: 360 })
    await page.goto(await linked(3, '/alerts/end'))
    expect(await mailed.unfit(page, 'alert-ending', [360, 1280])).toEqual([])
    await context.close()
  })
})
