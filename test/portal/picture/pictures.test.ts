import { describe, expect, test } from 'bun:test'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { pairDrawing } from '~/portal/picture/drawing.ts'
import { World } from '../../support/world.ts'
import { textOf, visit } from '../portal-world.ts'

const world = new World({ publicUrl: 'https://rates.example/fx' })
const PATH = '/pictures/united-kingdom-to-ghana.png'
const BYTES_MAX = 100_000

const ask = (path: string, headers: Record<string, string> = {}, of = world) =>
  of.app.handle(new Request(`http://localhost${path}`, { headers }))

const sizeOf = (bytes: ArrayBuffer) => {
  const view = new DataView(bytes)
  return [view.getUint32(16), view.getUint32(20)]
}

describe('GET /pictures/:file', () => {
  test('200 with a picture of the size that messages show, the same each time', async () => {
    const reply = await ask(PATH, { 'accept-encoding': 'gzip' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('image/png')
    expect(reply.headers.get('content-encoding')).toBeNull()
    expect(reply.headers.get('cache-control')).toBe('public, max-age=86400')
    const bytes = await reply.arrayBuffer()
    expect(new TextDecoder('latin1').decode(bytes.slice(1, 4))).toBe('PNG')
    expect(sizeOf(bytes)).toEqual([1200, 630])
    expect(bytes.byteLength).toBeLessThan(BYTES_MAX)
    const etag = reply.headers.get('etag')!
    expect((await ask(PATH, { 'if-none-match': etag })).status).toBe(304)
    const other = await ask('/pictures/ghana-to-united-kingdom.png')
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  test('says that prices are those of the sample, where they are', async () => {
    const pair = { source: COUNTRIES.get('GB')!, target: COUNTRIES.get('GH')! }
    expect(await pairDrawing(pair, true)).toContain('>Sample prices from 2025</text>')
    expect(await pairDrawing(pair, false)).not.toContain('Sample')
    const sampled = new World({ publicUrl: 'https://rates.example/fx', sample: 'sample data' })
    const etags = await Promise.all(
      [world, sampled].map(async (of) => (await ask(PATH, {}, of)).headers.get('etag')),
    )
    expect(etags[0]).not.toBe(etags[1]!)
  })

  test('200 with the letters of the names drawn, not left out', async () => {
    const bytesOf = async (pair: string) =>
      (await (await ask(`/pictures/${pair}.png`)).arrayBuffer()).byteLength
    const apart = (await bytesOf('turkiye-to-poland')) - (await bytesOf('turkiye-to-peru'))
    expect(apart).not.toBe(0)
  })

  test.each([
    ...['/pictures/uk-to-ghana.png', '/pictures/ghana.png', '/pictures/ghana-to-ghana.png'],
    ...['/pictures/united-kingdom-to-ghana.svg', '/pictures/.png', '/pictures/%2e%2e.png'],
    '/pictures/United-Kingdom-to-Ghana.png',
  ])('404 to %s', async (path) => expect((await ask(path)).status).toBe(404))

  test('429 to an address that asks for too many', async () => {
    const busy = new World({ portal: { requestsPerMinute: 1 } })
    expect((await ask(PATH, {}, busy)).status).toBe(200)
    const refused = await ask(PATH, {}, busy)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  })

  test('503 to those for whom there is no room to wait, and the others get theirs', async () => {
    const targets = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => NAMES[letter] ?? [])
    const asked = targets.map((name) => ask(`/pictures/kenya-to-${name}.png`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect((await ask(`/pictures/kenya-to-${targets.at(-1)}.png`)).status).toBe(200)
  })

  test('its address is on the page of the pair, with words for those who cannot see it', async () => {
    world.quote({ providerId: 'retail-a', rate: 0.0076, from: 'KES', to: 'GBP' })
    world.clock.set('2026-03-05T15:00:00Z')
    const { text } = await visit(world, '/send/kenya-to-united-kingdom')
    const own = 'https://rates.example/fx'
    for (const [name, content] of [
      ['og:url', `${own}/send/kenya-to-united-kingdom`],
      ['og:title', 'Send money from Kenya to the United Kingdom'],
      ['og:image', `${own}/pictures/kenya-to-united-kingdom.png`],
      ['og:image:width', '1200'],
      ['og:image:alt', 'The flags of Kenya and the United Kingdom, with an arrow between them'],
      ['twitter:card', 'summary_large_image'],
    ])
      expect(text).toContain(`<meta property="${name}" content="${content}"/>`)
    expect(textOf(text)).toContain('Kenya to United Kingdom')
  })
})

/** More countries than may wait for their pictures. */
const NAMES: Readonly<Record<string, string[]>> = {
  a: ['albania', 'algeria', 'andorra', 'angola', 'argentina', 'armenia', 'aruba'],
  b: ['bahamas', 'bahrain', 'bangladesh', 'barbados', 'belarus', 'belgium', 'belize', 'benin'],
  c: ['cambodia', 'cameroon', 'canada', 'chad', 'chile', 'china', 'colombia', 'comoros', 'cuba'],
  d: ['denmark', 'djibouti', 'dominica'],
  e: ['ecuador', 'egypt', 'eritrea', 'estonia', 'ethiopia'],
}
