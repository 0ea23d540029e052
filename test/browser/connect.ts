import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { isTooWide, Scene, type Visit } from './scene.ts'

const EMAIL = 'grace.hopper@example.org'
const PASSWORD = 'correct horse battery'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

let scene: Scene
let grace: Visit
/** A program on the person's computer, which waits for the redirect. */
let program: Bun.Server<undefined>
const arrived: URL[] = []
let clientId: string

beforeAll(async () => {
  program = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const url = new URL(request.url)
      if (url.pathname === '/callback') arrived.push(url)
      return new Response('You can close this window.')
    },
  })
  scene = await Scene.shared()
  grace = await scene.visit()
  const reply = await fetch(`${scene.demo.origin}/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [callback()] }),
  })
  clientId = ((await reply.json()) as { client_id: string }).client_id
})

afterAll(async () => {
  await scene?.stop()
  await program.stop(true)
})

const callback = () => `http://127.0.0.1:${program.port}/callback`

const question = () =>
  `/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: callback(), state: 's' },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  })}`

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
}

async function examined({ page }: Visit, name: string): Promise<void> {
  expect([name, await scene.faults(page)]).toEqual([name, []])
  expect(await isTooWide(page)).toBe(false)
  await scene.picture(page, name)
}

describe('a person whom an application sends', () => {
  test('signs in first and then finds the consent page', async () => {
    const { page } = grace
    await page.goto('/sign-up')
    await fillIn(page)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL('**/mailed')
    await page.goto(await scene.demo.linkTo(EMAIL))
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.goto('/developer')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto(question())
    await page.getByText('An application asks to be connected').waitFor()
    await examined(grace, 'connect-sign-in-1280')
    await fillIn(page)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Connect Claude?' }).waitFor()
  })

  test('reads the consent page at any width, in light and dark', async () => {
    expect(await scene.unfit(grace.page, 'connect', [1280, 360])).toEqual([])
  })

  test('returns to the program after the decision, which the policy of the page allows', async () => {
    const { page } = grace
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('You can close this window.').waitFor()
    expect(arrived.at(-1)!.searchParams.get('error')).toBe('access_denied')
    await page.goto(question())
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('You can close this window.').waitFor()
    const code = arrived.at(-1)!.searchParams.get('code')!
    const reply = await fetch(`${scene.demo.origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, client_id: clientId },
        ...{ redirect_uri: callback(), code_verifier: VERIFIER },
      }),
    })
    expect(reply.status).toBe(200)
  })

  test('finds the application in the developer area, and ends it there', async () => {
    const { page } = grace
    await page.goto('/developer')
    await page.getByRole('link', { name: 'Disconnect Claude' }).waitFor()
    await examined(grace, 'connections-360')
    await page.setViewportSize({ width: 1280, height: 900 })
    await examined(grace, 'connections-1280')
    await page.getByRole('link', { name: 'Disconnect Claude' }).click()
    await examined(grace, 'disconnect-1280')
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Application disconnected.').waitFor()
    expect(await page.getByRole('link', { name: 'Disconnect Claude' }).count()).toBe(0)
  })

  test('triggers no error in the browser', () => {
    expect(grace.complaints).toEqual([])
  })
})
