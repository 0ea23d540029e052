import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { foreignRequests, isTooWide, Scene, type Visit } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await Scene.shared()
})
afterAll(async () => {
  await scene?.stop()
  await removeScratch()
})

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${scene.demo.origin}/api/v1${path}`, {
    headers: { 'x-api-key': scene.demo.keys.enterprise!, ...headers },
  })

/** A signed response with its headers, and the requested URL. */
async function signedAnswer() {
  const reply = await ask('/rates?from=GBP&to=KES', { 'accept-signature': 'sig=()' })
  const lines = [...reply.headers].map(([name, value]) => `${name}: ${value}\n`).join('')
  const { url, status } = reply
  return { url, text: `HTTP/1.1 ${status} OK\n${lines}\n${await reply.text()}` }
}

/** The outcome that the page shows. */
async function outcome({ page }: Visit): Promise<string> {
  const result = page.locator('#verify-result')
  await page.locator('form[data-verify] button').click()
  await result.locator('h2').waitFor()
  return (await result.textContent())!
}

describe('/verify', () => {
  test.each([
    [1280, 'light'],
    [360, 'dark'],
  ] as const)('verifies a signed response at %p pixels, in %s', async (width, scheme) => {
    const visit = await scene.visit({ width, scheme })
    const { page, asked, complaints } = visit
    await page.goto('/verify')
    const { url, text } = await signedAnswer()
    await page.fill('#verify-text', text)
    await page.fill('#verify-url', url)
    const before = asked.length
    expect(await outcome(visit)).toContain('genuine and unchanged')
    expect(asked.length).toBe(before)
    expect(await scene.faults(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await scene.picture(page, `verify-${width}-${scheme}`)
    expect([foreignRequests(asked, scene.demo.origin), complaints]).toEqual([[], []])
    await visit.context.close()
  })

  test('refutes a modified response', async () => {
    const visit = await scene.visit()
    await visit.page.goto('/verify')
    const { url, text } = await signedAnswer()
    await visit.page.fill('#verify-text', text.replace('"GBP"', '"USD"'))
    await visit.page.fill('#verify-url', url)
    expect(await outcome(visit)).toContain('not what was signed')
    await visit.context.close()
  })

  test('verifies a proof in a file', async () => {
    const visit = await scene.visit()
    await visit.page.goto('/verify')
    const { data } = await (await ask('/rates/history?from=GBP&to=KES&limit=1000')).json()
    const path = `/proofs?observation=${data.at(-1).id}`
    await until('a proof', async () => (await ask(path)).ok)
    const file = join(await scratchFolder(), 'proof.txt')
    await writeFile(file, await (await ask(path)).text())
    await visit.page.setInputFiles('#verify-file', file)
    const said = await outcome(visit)
    expect(said).toContain('in the log, unchanged')
    expect(said).toContain('"kind": "observation"')
    await scene.picture(visit.page, 'verify-proof')
    await visit.context.close()
  })

  test('explains how to verify by hand without JavaScript', async () => {
    const { page, context } = await scene.visit({ isScripted: false })
    await page.goto('/verify')
    expect(await page.locator('form[data-verify]').isHidden()).toBe(true)
    expect(await page.locator('noscript').textContent()).toContain('check by hand')
    expect(await page.locator('#verify-openssl').isVisible()).toBe(true)
    await context.close()
  })
})
