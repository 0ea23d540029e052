import { describe, expect, test } from 'bun:test'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import { FONT, png } from '~/portal/picture/drawing.ts'
import { type PairPicture, pairDrawing } from '~/portal/picture/pair-drawing.ts'
import { moneyOf } from '~/portal/words/format.ts'
import { LANGUAGES, type Language } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'
import { World } from '../../support/world.ts'
import { textOf, visit } from '../portal-world.ts'

const world = new World({ publicUrl: 'https://rates.example/fx' })
const PATH = '/pictures/united-kingdom-to-ghana.png'
const BYTES_MAX = 100_000
const AT = '2026-03-05T13:00:00Z'

const ask = (path: string, headers: Record<string, string> = {}, of = world) =>
  of.app.handle(new Request(`http://localhost${path}`, { headers }))

const sizeOf = (bytes: ArrayBuffer) => {
  const view = new DataView(bytes)
  return [view.getUint32(16), view.getUint32(20)]
}

describe('GET /pictures/:file', () => {
  test('returns 200 with a picture of the size that messages show, the same each time', async () => {
    const reply = await ask(PATH, { 'accept-encoding': 'gzip' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('image/png')
    expect(reply.headers.get('content-encoding')).toBeNull()
    expect(reply.headers.get('cache-control')).toBe('public, max-age=300')
    const bytes = await reply.arrayBuffer()
    expect(new TextDecoder('latin1').decode(bytes.slice(1, 4))).toBe('PNG')
    expect(sizeOf(bytes)).toEqual([1200, 630])
    expect(bytes.byteLength).toBeLessThan(BYTES_MAX)
    const etag = reply.headers.get('etag')!
    expect((await ask(PATH, { 'if-none-match': etag })).status).toBe(304)
    const other = await ask('/pictures/ghana-to-united-kingdom.png')
    expect(other.headers.get('etag')).not.toBe(etag)
  })

  test('returns another picture for prices of the sample, and for each amount, hour and language', async () => {
    const sampled = new World({ publicUrl: 'https://rates.example/fx', sample: 'sample data' })
    const tagOf = async (path: string, of: World) => (await ask(path, {}, of)).headers.get('etag')!
    const paths = [PATH, `/ar${PATH}`, `/fr${PATH}`]
    const tags = [tagOf(PATH, world), ...paths.map((path) => tagOf(path, sampled))]
    const priced = new World()
    priced.quote({ providerId: 'retail-a', rate: 0.0076, fee: 0, from: 'KES', to: 'GBP', at: AT })
    const pair = '/pictures/kenya-to-united-kingdom.png'
    for (const time of ['2026-03-05T15:00:00Z', '2026-03-05T16:00:00Z']) {
      priced.clock.set(time)
      tags.push(tagOf(`${pair}?amount=20000`, priced), tagOf(`${pair}?amount=30000`, priced))
      await Promise.all(tags)
    }
    tags.push(tagOf(`${pair}?known_at=2026-03-05T15:30:00Z`, priced))
    expect(new Set(await Promise.all(tags)).size).toBe(tags.length)
  })

  test('marks a price that was not observed at the provider', async () => {
    const noteOf = async (evidence: Evidence) => {
      const of = new World()
      const price = { rate: 0.0076, fee: 0, from: 'KES', to: 'GBP', at: AT }
      of.quote({ providerId: 'retail-a', evidence, ...price })
      const page = await ask('/pictures/kenya-to-united-kingdom.png', {}, of)
      return page.headers.get('etag')
    }
    const notes = await Promise.all(
      (['observed', 'derived', 'indicative'] as const).map((one) => noteOf(one)),
    )
    expect(new Set(notes).size).toBe(3)
  })

  test('returns the same picture to every caller of an address, whatever language they read', async () => {
    const tags = ['fr', 'ar', 'en'].map(async (language) => {
      const reply = await ask(PATH, { 'accept-language': language })
      return reply.headers.get('etag')
    })
    expect(new Set(await Promise.all(tags)).size).toBe(1)
  })

  test('returns 200 with the letters of the names drawn, not left out', async () => {
    const bytesOf = async (pair: string) =>
      (await (await ask(`/pictures/${pair}.png`)).arrayBuffer()).byteLength
    const apart = (await bytesOf('turkiye-to-poland')) - (await bytesOf('turkiye-to-peru'))
    expect(apart).not.toBe(0)
  })

  test.each([
    ...['/pictures/uk-to-ghana.png', '/pictures/ghana.png', '/pictures/ghana-to-ghana.png'],
    ...['/pictures/united-kingdom-to-ghana.svg', '/pictures/.png', '/pictures/%2e%2e.png'],
    '/pictures/United-Kingdom-to-Ghana.png',
  ])('returns 404 to %s', async (path) => expect((await ask(path)).status).toBe(404))

  test('returns 429 to an address that requests too many', async () => {
    const busy = new World({ portal: { requestsPerMinute: 1 } })
    expect((await ask(PATH, {}, busy)).status).toBe(200)
    const refused = await ask(PATH, {}, busy)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  })

  test('returns 503 to requests without room to wait, and serves the others', async () => {
    const targets = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => NAMES[letter] ?? [])
    const asked = targets.map((name) => ask(`/pictures/kenya-to-${name}.png`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect((await ask(`/pictures/kenya-to-${targets.at(-1)}.png`)).status).toBe(200)
  })

  test('has its address on the page of the pair, with words for those who cannot see it', async () => {
    world.quote({ providerId: 'retail-a', rate: 0.0076, from: 'KES', to: 'GBP' })
    world.clock.set('2026-03-05T15:00:00Z')
    const { text } = await visit(world, '/send/kenya-to-united-kingdom')
    const own = 'https://rates.example/fx'
    for (const [name, content] of [
      ['og:url', `${own}/send/kenya-to-united-kingdom`],
      ['og:title', 'Send money from Kenya to the United Kingdom'],
      ['og:image', `${own}/pictures/kenya-to-united-kingdom.png`],
      ['og:image:width', '1200'],
      ['og:image:alt', 'Send money from Kenya to the United Kingdom'],
      ['twitter:card', 'summary_large_image'],
    ])
      expect(text).toContain(`<meta property="${name}" content="${content}"/>`)
    expect(textOf(text)).toContain('Kenya to United Kingdom')
    const other = await visit(world, '/ar/send/kenya-to-united-kingdom?amount=20000')
    expect(other.text).toContain(
      `content="${own}/ar/pictures/kenya-to-united-kingdom.png?amount=20000"`,
    )
  })
})

const GB_TO_GH = { source: COUNTRIES.get('GB')!, target: COUNTRIES.get('GH')! }
const FIGURE = { sent: '£150', gets: '2,308.07 GHS', note: 'Wise · costs 1.10% · as of 5 Mar' }

const drawn = (language: Language, more: Partial<PairPicture> = {}) => {
  const words = Words.in(language)
  return pairDrawing({
    ...{ words, pair: GB_TO_GH, isSample: false, figure: FIGURE, line: 'Prices', ...more },
  })
}

/** The strings of a drawing with their horizontal positions, in order. */
const textsIn = (svg: string) =>
  [...svg.matchAll(/<t(?:ext|span) x="(\d+)"[^>]*>([^<]+)</g)].map(([, x, text]) => [
    Number(x),
    text!.replace(/[\u2066-\u2069]/g, ''),
  ])

describe('the drawing of a pair', () => {
  test('has both amounts below their countries, with whom, what it costs and since when', async () => {
    expect(textsIn(await drawn('en'))).toEqual([
      [600, 'Corridor'],
      ...[
        [280, 'United Kingdom'],
        [280, '£150'],
      ],
      ...[
        [920, 'Ghana'],
        [920, '2,308.07 GHS'],
      ],
      [600, FIGURE.note],
    ])
  })

  test('runs from right to left in Arabic', async () => {
    const svg = await drawn('ar')
    const at = Object.fromEntries(textsIn(svg).map(([x, text]) => [text, x]))
    expect(at).toMatchObject({ 'المملكة المتحدة': 920, '£150': 920, غانا: 280 })
    expect(svg).toContain('transform="matrix(-1 0 0 1 1200 0)"')
  })

  test.each(LANGUAGES)('says in %s that prices are those of the sample', async (language) => {
    const banner = Words.in(language).say('sample.banner')
    expect(await drawn(language, { isSample: true })).toContain(banner)
    expect(await drawn(language)).not.toContain(banner)
  })

  test('names the subject of the page if no price is known', async () => {
    const texts = textsIn(await drawn('en', { figure: null }))
    expect(texts.at(-1)).toEqual([600, 'Prices'])
  })

  test('lets no name end its markup', async () => {
    const figure = { ...FIGURE, note: '</text><script>alert(1)</script>' }
    expect(await drawn('en', { figure })).not.toContain('<script>')
  })

  test('has every letter that an amount, a name, a time or a banner may have', async () => {
    const letters = new Set<string>()
    for (const language of LANGUAGES) {
      const words = Words.in(language)
      const texts = [
        ...['≈ · ', words.say('sample.banner'), words.say('embed.as-of', { time: '' })],
        ...[...COUNTRIES.values()].map((country) => words.countryName(country)),
        ...[...COUNTRIES.values()].flatMap(({ currencies }) =>
          currencies.map((code) => words.priceText(1234.5, moneyOf(code))),
        ),
        ...Array.from({ length: 12 }, (_, i) => words.momentText(Date.UTC(2026, i, 5))),
      ]
      for (const text of texts) for (const letter of text) letters.add(letter)
    }
    const seen = [...letters].filter((letter) => /[\p{L}\p{N}\p{S}\p{P}]/u.test(letter))
    const missing = await pixelsOf('\ue000')
    for (const letter of seen)
      expect([letter, await pixelsOf(letter)]).not.toEqual([letter, missing])
  })
})

/** A letter as drawn; the same for all letters that the fonts lack. */
async function pixelsOf(letter: string): Promise<string> {
  const bytes = await png(
    `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="${FONT}">` +
      `<text x="2" y="15" font-size="14">${Bun.escapeHTML(letter)}</text></svg>`,
    20,
  )
  return Bun.hash(bytes).toString()
}

/** More countries than the queue for pictures holds. */
const NAMES: Readonly<Record<string, string[]>> = {
  a: ['albania', 'algeria', 'andorra', 'angola', 'argentina', 'armenia', 'aruba'],
  b: ['bahamas', 'bahrain', 'bangladesh', 'barbados', 'belarus', 'belgium', 'belize', 'benin'],
  c: ['cambodia', 'cameroon', 'canada', 'chad', 'chile', 'china', 'colombia', 'comoros', 'cuba'],
  d: ['denmark', 'djibouti', 'dominica'],
  e: ['ecuador', 'egypt', 'eritrea', 'estonia', 'ethiopia'],
}
