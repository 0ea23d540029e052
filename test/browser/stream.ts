import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import type { Page } from 'playwright-core'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { until } from '../support/until.ts'
import { Scene } from './scene.ts'

const HTML = '<!doctype html><title>A page that shows prices</title>'
const CORRIDOR = { provider_id: 'wise', from: 'GBP', to: 'UGX', fee: null }

let scene: Scene
/** A proxy to the service whose connections can be cut. */
let way: DatabaseProxy
const sites: Server<undefined>[] = []

function site(): Server<undefined> {
  const headers = { 'content-type': 'text/html' }
  const made = Bun.serve({ port: 0, fetch: () => new Response(HTML, { headers }) })
  sites.push(made)
  return made
}

beforeAll(async () => {
  scene = await Scene.start({ CORS_ORIGINS: site().url.origin })
  site()
  way = await DatabaseProxy.to(scene.demo.origin)
})
afterAll(async () => {
  way?.close()
  await scene?.stop()
  await Promise.all(sites.map((one) => one.stop(true)))
})

/** Gets a token as the server of a page does, which keeps the key and passes on only the token. */
async function tokenOf(): Promise<string> {
  const { origin, keys } = scene.demo
  const headers = { 'x-api-key': keys.enterprise! }
  const reply = await fetch(`${origin}/api/v1/stream/token`, { method: 'POST', headers })
  expect(reply.status).toBe(200)
  return (await reply.json()).token
}

async function record(rate: number): Promise<void> {
  const { origin, keys } = scene.demo
  const headers = { 'x-api-key': keys.enterprise!, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...CORRIDOR, rate })
  const reply = await fetch(`${origin}/api/v1/rates`, { method: 'POST', headers, body })
  expect(reply.status).toBe(201)
}

/** Starts to listen in the page; `window.received` collects the names of events and their rates. */
const listenIn = (page: Page, url: string): Promise<unknown> =>
  page.evaluate(`
    window.received = []
    window.source = new EventSource(${JSON.stringify(url)})
    source.onerror = () => received.push(source.readyState === EventSource.CLOSED ? 'closed' : 'lost')
    for (const name of ['hello', 'quote', 'reset', 'ended'])
      source.addEventListener(name, ({ data }) => {
        const { rate, tier } = JSON.parse(data)
        received.push([name, rate ?? tier].filter(Boolean).join(' '))
      })
    0`)

const heardIn = (page: Page): Promise<string[]> => page.evaluate('received') as Promise<string[]>

const hears = (page: Page, what: string): Promise<void> =>
  until(`the page hears ${what}`, async () => (await heardIn(page)).includes(what))

const streamAt = (origin: string, token: string): string =>
  `${origin}/api/v1/stream?corridors=GBP/UGX&token=${token}`

describe('an EventSource in a page of another origin', () => {
  test('receives prices with a token, and resumes by itself after an interruption', async () => {
    const { page, context } = await scene.visit()
    await page.goto(sites[0]!.url.href)
    await listenIn(page, streamAt(`http://127.0.0.1:${way.port}`, await tokenOf()))
    await hears(page, 'hello realtime')
    await record(4700)
    await hears(page, 'quote 4700')
    way.isDropping = true
    way.cut()
    await hears(page, 'lost')
    await record(4701)
    await record(4702)
    way.isDropping = false
    await hears(page, 'quote 4702')
    await record(4703)
    await hears(page, 'quote 4703')
    const received = await heardIn(page)
    expect(received.filter((what) => what.startsWith('quote'))).toEqual(
      [4700, 4701, 4702, 4703].map((rate) => `quote ${rate}`),
    )
    expect(received.filter((what) => /^(reset|closed)/.test(what))).toEqual([])
    await context.close()
  })

  test('receives nothing if its origin is not allowed, or with an invalid token', async () => {
    const token = await tokenOf()
    for (const [{ url }, shown] of [
      [sites[1]!, token],
      [sites[0]!, `${token}x`],
    ] as const) {
      const { page, context } = await scene.visit()
      await page.goto(url.href)
      await listenIn(page, streamAt(scene.demo.origin, shown))
      await hears(page, 'closed')
      expect(await heardIn(page)).toEqual(['closed'])
      await context.close()
    }
  })
})
