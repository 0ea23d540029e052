import { expect, test } from 'bun:test'
import { World } from '../../support/world.ts'
import { visit } from '../portal-world.ts'

test('every page leads to a manifest, whose icons exist in the stated size', async () => {
  const world = new World()
  const page = await visit(world, '/corridors')
  const [, path] = /<link rel="manifest" href="([^"]*)"/.exec(page.text)!
  expect(page.headers.get('content-security-policy')).toContain("manifest-src 'self'")
  const { text, headers } = await visit(world, path!)
  expect(headers.get('content-type')).toBe('application/manifest+json')
  const { icons, start_url } = JSON.parse(text)
  expect((await visit(world, start_url)).status).toBe(200)
  expect(icons).toHaveLength(2)
  for (const { src, sizes } of icons) {
    const reply = await world.app.handle(new Request(`http://localhost${src}`))
    expect(reply.headers.get('content-type')).toBe('image/png')
    const header = new DataView(await reply.arrayBuffer())
    expect(`${header.getUint32(16)}x${header.getUint32(20)}`).toBe(sizes)
  }
})
