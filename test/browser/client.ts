import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import type { Page } from 'playwright-core'
import { builtClient } from '../client/build.ts'
import { answerable } from '../http/questions.ts'
import { documentOf } from '../support/contract.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { Scene, type Visit } from './scene.ts'

const PAGE = '<!doctype html><title>A page of another site</title>'

let scene: Scene
let visit: Visit
const sites: Server<undefined>[] = []

/** A separate site: an empty page and the built client. */
function siteWith(script: string): Server<undefined> {
  const site = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      if (url.includes('/away/')) return Response.redirect(`${scene.demo.origin}/api/v1/status`)
      const [body, type] = url.endsWith('/client.js') ? [script, 'javascript'] : [PAGE, 'html']
      return new Response(body, { headers: { 'content-type': `text/${type}` } })
    },
  })
  sites.push(site)
  return site
}

beforeAll(async () => {
  const { script } = await builtClient(await documentOf(answerable().app), await scratchFolder())
  const [own] = [siteWith(script), siteWith(script)]
  scene = await Scene.start({ CORS_ORIGINS: own!.url.origin })
  visit = await scene.visit()
  await visit.page.goto(own!.url.href)
})
afterAll(async () => {
  await scene?.stop()
  await Promise.all(sites.map((site) => site.stop(true)))
  await removeScratch()
})

/** Runs a script in a page that has imported the client and knows the service and a key. */
const inPage = (page: Page, script: string, options: object = {}): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { Corridor, CorridorError } = await import('/client.js')
    const given = ${JSON.stringify({ url: scene.demo.origin, key: scene.demo.keys.enterprise, ...options })}
    const corridor = new Corridor(given)
    ${script}
  })()`)

const FAILED = `
  const { name, code, status, requestId, retryAfterSeconds, details } = error
  return { name, code, status, hasId: !!requestId, retryAfterSeconds, details: details?.code }`

describe('the client in a page of another origin', () => {
  test.each(['X-API-Key', 'Authorization'])('asks with its key in %s', async (keyHeader) => {
    const script = `return (await corridor.convertAmount({ from: 'GBP', to: 'KES', amount: 100 })).count`
    expect(await inPage(visit.page, script, { keyHeader })).toBeGreaterThan(3)
  })

  test('iterates pages, which together are the whole list', async () => {
    const script = `
      const asked = { from: 'GBP', to: 'KES', period: '90d' }
      const rows = []
      let pages = 0
      for await (const page of corridor.getHistoryPages({ ...asked, limit: 25 })) {
        rows.push(...page.data)
        pages++
      }
      const whole = await corridor.getHistory({ ...asked, limit: 5000 })
      return [pages, JSON.stringify(rows) === JSON.stringify(whole.data), whole.count]`
    const [pages, isAlike, count] = (await inPage(visit.page, script)) as [number, boolean, number]
    expect(isAlike).toBe(true)
    expect(pages).toBeGreaterThan(1)
    expect(pages).toBe(Math.ceil(count / 25))
  })

  test('records a batch', async () => {
    const row = { provider_id: 'wise', from: 'GBP', to: 'KES', rate: 171.5, fee: null }
    const script = `return (await corridor.recordRates(${JSON.stringify(row)})).inserted`
    expect(await inPage(visit.page, script)).toBe(1)
  })

  test('receives prices as they change, and continues after the last it knows', async () => {
    const script = `
      const record = (rate) =>
        corridor.recordRates({ provider_id: 'wise', from: 'GBP', to: 'UGX', rate, fee: null })
      const quotes = []
      let lastEventId
      for await (const { type, id, data } of corridor.stream(['GBP/UGX'])) {
        if (type === 'hello') await record(4700)
        if (type !== 'quote') continue
        lastEventId = id
        quotes.push(data.rate)
        break
      }
      await record(4701)
      await record(4702)
      for await (const { type, data } of corridor.stream(['GBP/UGX'], { lastEventId }))
        if (type === 'quote' && quotes.push(data.rate) === 3) break
      return quotes`
    expect(await inPage(visit.page, script)).toEqual([4700, 4701, 4702])
  })

  test('reads an error, headers included', async () => {
    const failing = (asked: string) => `try { ${asked} } catch (error) { ${FAILED} }`
    const unknown = `await corridor.getRates({ from: 'GBP', to: 'XXX' })`
    const unsupported = { code: 'unsupported_currency', details: 'unsupported_currency' }
    expect(await inPage(visit.page, failing(unknown))).toEqual({
      ...{ name: 'CorridorError', status: 400, hasId: true, retryAfterSeconds: null },
      ...unsupported,
    })
    const many = `for (let n = 0; n < 60; n++) await corridor.getRates({ from: 'GBP', to: 'KES' })`
    expect(await inPage(visit.page, failing(many), { key: scene.demo.keys.free })).toEqual({
      ...{ name: 'CorridorError', code: 'quota_exceeded', details: 'quota_exceeded', hasId: true },
      ...{ status: 429, retryAfterSeconds: expect.any(Number) },
    })
  })

  test('stops when the page aborts it', async () => {
    const script = `
      const controller = new AbortController()
      const call = corridor.getStatus({ signal: controller.signal })
      controller.abort()
      return call.then(() => 'answered', (error) => error.name)`
    expect(await inPage(visit.page, script)).toBe('AbortError')
  })

  test('follows no redirect, and reports it', async () => {
    const script = `try { await corridor.getStatus() } catch (error) { ${FAILED} }`
    const url = `${sites[0]!.url.origin}/away`
    expect(await inPage(visit.page, script, { url })).toMatchObject({
      ...{ code: 'redirected', status: null },
    })
  })

  test('fails with unreachable if the origin of the page is not allowed', async () => {
    const { page, context } = await scene.visit()
    await page.goto(sites[1]!.url.href)
    const script = `try { await corridor.getStatus() } catch (error) { ${FAILED} }`
    expect(await inPage(page, script, { retries: 0 })).toMatchObject({ code: 'unreachable' })
    await context.close()
  })

  test('sends requests only to the service and its own site', () => {
    const allowed = [scene.demo.origin, sites[0]!.url.origin]
    const strange = visit.asked.filter((url) => !allowed.includes(new URL(url).origin))
    expect(strange).toEqual([])
  })
})
