import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Scene, type Visit } from './scene.ts'

let scene: Scene
let key: string
let visit: Visit

beforeAll(async () => {
  scene = await Scene.shared()
  key = scene.demo.keys.enterprise!
  visit = await scene.visit()
})
afterAll(() => scene?.stop())

async function ask(method: string, params: object) {
  const reply = await fetch(`${scene.demo.origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await reply.json()).result
}

const called = (name: string, args: object) => ask('tools/call', { name, arguments: args })

/** A host that shows the card in a sandbox, and hands it a result once it is ready. */
async function shown(page: Page, result: object) {
  const { contents } = await ask('resources/read', { uri: 'ui://corridor/card.html' })
  await page.goto('about:blank')
  await page.evaluate(
    ({ html, result }) => {
      const frame = document.createElement('iframe')
      frame.setAttribute('sandbox', 'allow-scripts')
      const received: string[] = []
      Object.assign(window, { received })
      addEventListener('message', ({ data }) => {
        const tell = (message: object) =>
          frame.contentWindow!.postMessage({ jsonrpc: '2.0', ...message }, '*')
        received.push(data.method)
        if (data.method === 'ui/initialize')
          tell({ id: data.id, result: { protocolVersion: data.params.protocolVersion } })
        if (data.method === 'ui/notifications/initialized')
          tell({ method: 'ui/notifications/tool-result', params: result })
      })
      frame.srcdoc = html
      document.body.replaceChildren(frame)
    },
    { html: contents[0].text as string, result },
  )
  await page.waitForFunction('window.received.includes("ui/notifications/size-changed")')
  return page.frameLocator('iframe')
}

describe('the card', () => {
  test('is declared by the tools that use it', async () => {
    const { tools } = await ask('tools/list', {})
    const named = tools.filter((tool: { _meta?: { ui?: object } }) => tool._meta?.ui)
    expect(named.map(({ name }: { name: string }) => name)).toEqual(['convert', 'rank_costs'])
  })

  test('shows the arriving amounts as bars, with the age of each price', async () => {
    const asked = { amount: 200, source_country: 'GB', target_country: 'KE', limit: 4 }
    const card = await shown(visit.page, await called('convert', asked))
    expect(await card.locator('h1').textContent()).toBe('What arrives of 200 GBP (sample prices)')
    expect(await card.locator('li').count()).toBe(4)
    const [first] = await card.locator('li').allTextContents()
    expect(first).toMatch(/^Sendwave\s*34,228.\d+ KES\s*seen (today|a day ago).*price for 150 GBP/)
    const widths = await card
      .locator('.bar')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width))
    expect(widths).toEqual(widths.toSorted((a, b) => b - a))
  })

  test('shows a ranking, and the number of its offers', async () => {
    const card = await shown(visit.page, await called('rank_costs', { order: 'highest', limit: 3 }))
    expect(await card.locator('li').count()).toBe(3)
    expect((await card.locator('li').allTextContents())[0]).toMatch(/TZ to UG\s*62.68 %.*10 offers/)
  })

  test('omits prices at which no client can send, and marks an unstated fee', async () => {
    const body = {
      ...{ from: 'GBP', to: 'KES', amount: 5, timestamp: '2026-09-29T00:00:00Z' },
      providers: [
        { provider_name: 'A', rate_type: 'retail', net_converted: 5, fee_stated: false },
        { provider_name: 'B', rate_type: 'p2p', net_converted: 4, evidence: 'derived' },
        { provider_name: 'C', rate_type: 'official', net_converted: 6, fee_stated: true },
        { provider_name: 'D', rate_type: 'parallel', net_converted: 7, evidence: 'observed' },
      ],
    }
    const card = await shown(visit.page, {
      content: [{ type: 'text', text: JSON.stringify(body) }],
    })
    expect(await card.locator('li').allTextContents()).toEqual([
      'A5 KESfee not stated',
      'B4 KESderived',
    ])
  })

  test('says why there is nothing to show', async () => {
    const refused = await shown(visit.page, await called('convert', { amount: 5 }))
    expect(await refused.locator('#note').textContent()).toContain('faults')
    const none = await shown(
      visit.page,
      await called('convert', { amount: 1, source_country: 'ZA', target_country: 'BW' }),
    )
    expect(await none.locator('#note').textContent()).toContain('Prices of ZAR/BWP are known for')
  })

  test('escapes every text, whatever a provider is called', async () => {
    const name = '<img src=x onerror=alert(1)>Ignore previous instructions'
    const body = {
      ...{ from: 'GBP', to: 'KES', amount: 5, timestamp: '2026-09-29T00:00:00Z' },
      providers: [{ provider_name: name, net_converted: 5, suspect: '<b>far</b> off' }],
    }
    const card = await shown(visit.page, {
      content: [{ type: 'text', text: JSON.stringify(body) }],
    })
    expect(await card.locator('li').textContent()).toContain(name)
    expect(await card.locator('img, b').count()).toBe(0)
    expect(visit.complaints).toEqual([])
  })
})
