import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { KnownWorld } from '../../contract/known-world.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { ORIGIN, replyOf } from '../../support/world.ts'
import { textOf } from '../portal-world.ts'

const PAIR = '/send/united-states-to-kenya?amount=200'
const BOARD = '/?from=USD&to=KES&amount=200'
const LANGUAGES = ['', '/fr', '/pt', '/ar', '/sw']
const iso = (ms: number): string => new Date(ms).toISOString()

let known: KnownWorld
/** A time between a price of 120 and its correction to 140. */
let thenMs: number
/** The digests of the prices at that time, by the page that shows them. */
let digests: readonly (readonly [path: string, digest: string])[]

const price = { provider_id: 'retail-a', from: 'USD', to: 'KES', fee: 0 }

const visit = async (path: string) =>
  replyOf(await known.world.app.handle(new Request(`${ORIGIN}${path}`)))

/** The address for the citation of a current page. */
const citable = (html: string): string =>
  textOf(/href="([^"]+known_at=[\dT:.-]+Z)#cite"/.exec(html)![1]!)

/** The citation of an earlier page, and its address. */
function cited(html: string) {
  const [text, bibtex] = ['cite', 'bibtex'].map((id) =>
    textOf(new RegExp(`<pre id="${id}".*?</pre>`, 's').exec(html)![0]),
  )
  const link = /https?:\/\/\S+known_at=[\dT:.-]+Z/.exec(text!)![0].replace(ORIGIN, '')
  return { text: text!, bibtex: bibtex!, link }
}

/** SHA-256 of the prices that `/convert` currently returns to an hourly key. */
async function digestOf(query: string): Promise<string> {
  const path = `/convert?from=USD&to=KES&amount=200${query}`
  const { status, body } = await known.world.get(path, 'hourly')
  expect([path, status, body.count]).toEqual([path, 200, 1])
  return hash('sha256', canonicalize(body.providers)!)
}

beforeAll(async () => {
  known = await KnownWorld.start(await stockedDatabase())
  await known.feed({ KES: 130, GBP: 0.8 }, 0)
  const effective_from = iso(known.nowMs)
  await known.post([{ ...price, rate: 120, effective_from }])
  await known.advance(HOUR_MS - (known.nowMs % HOUR_MS) + 5 * MINUTE_MS)
  thenMs = known.nowMs
  digests = [
    [PAIR, await digestOf('&source_country=US&target_country=KE')],
    [BOARD, await digestOf('')],
  ]
}, TEST_MS_MAX)
afterAll(() => known.world.database.close())

describe('the citation of a page', () => {
  test(
    'leads to the prices of its time, even after a correction, in every language',
    async () => {
      const before = new Map<string, string>()
      for (const language of LANGUAGES)
        for (const path of [PAIR, BOARD]) {
          const { status, text } = await visit(language + path)
          expect([language + path, status]).toEqual([language + path, 200])
          const link = citable(text)
          expect(link).toStartWith(language || path.slice(0, 2))
          expect(link).toEndWith(`known_at=${iso(thenMs)}`)
          before.set(language + path, link)
        }
      const [said] = known.rows
      await known.advance(1)
      await known.post([{ ...said!, rate: 140 }])
      await known.advance(HOUR_MS)
      for (const [path, link] of before) {
        const now = textOf((await visit(path)).text)
        expect([path, /\b28\W000\b/.test(now), /\b24\W000\b/.test(now)]).toEqual([
          path,
          true,
          false,
        ])
        const { status, text } = await visit(link)
        const then = textOf(text)
        expect([link, status]).toEqual([link, 200])
        expect([link, /\b24\W000\b/.test(then), /\b28\W000\b/.test(then)]).toEqual([
          link,
          true,
          false,
        ])
        expect(cited(text).link).toBe(link)
        expect(cited(text).bibtex).toContain(`note = {Known at ${iso(thenMs)}. `)
      }
    },
    TEST_MS_MAX,
  )

  test('has the number, its sources with their times, and the digest of the prices', async () => {
    for (const [path, digest] of digests) {
      const page = (await visit(`${path}&known_at=${iso(thenMs)}`)).text
      expect([path, page.includes('.csv?')]).toEqual([path, false])
      const { text, bibtex } = cited(page)
      for (const part of ['retail-a', '24,000', 'feed (mid-market rate of ', `SHA-256 ${digest}`])
        for (const one of [text, bibtex])
          expect([path, one]).toEqual([path, expect.stringContaining(part)])
      expect([path, text]).toEqual([path, expect.stringContaining('retail-a (price of ')])
    }
    expect(await digestOf('')).not.toBe(digests[1]![1])
  })

  test('stays the same whatever is recorded, withdrawn or switched off later in its hour', async () => {
    await known.advance(HOUR_MS - (known.nowMs % HOUR_MS) + MINUTE_MS)
    await known.post([{ ...price, rate: 141, effective_from: iso(known.nowMs - 5 * MINUTE_MS) }])
    const links = await Promise.all(
      [PAIR, BOARD].map(async (path) => citable((await visit(path)).text)),
    )
    const said = () => Promise.all(links.map(async (link) => cited((await visit(link)).text)))
    const before = await said()
    expect(before.map(({ text }) => text.includes('28,200'))).toEqual([true, true])
    const changes = [
      () => known.post([{ ...price, rate: 138, effective_from: iso(known.nowMs - 6 * MINUTE_MS) }]),
      () => known.post([{ ...price, rate: 142, effective_from: iso(known.nowMs - 4 * MINUTE_MS) }]),
      () => known.feed({ KES: 150 }, HOUR_MS / 2),
      () => known.withdraw(known.ids),
      async () => {
        const provider = known.providers.get('retail-a')!
        await known.catalogue({ providers: [{ ...provider, name: 'Another', isActive: false }] })
      },
      () => known.advance(HOUR_MS),
    ]
    for (const change of changes) {
      await known.advance(MINUTE_MS / 2)
      await change()
      expect(await said()).toEqual(before)
    }
    expect((await visit(PAIR)).text).not.toContain('#cite')
  })

  test('says on the page that it is of an earlier time, and links to the current page', async () => {
    const { text } = await visit(`${PAIR}&known_at=${iso(thenMs)}`)
    expect(textOf(text)).toContain('This page shows what had been recorded by then')
    expect(text).toContain(`href="${PAIR}"`)
    expect(text).toContain('<link rel="canonical"')
  })

  test('leads to nothing but that time, except by the link to the current page', async () => {
    const at = `known_at=${encodeURIComponent(iso(thenMs))}`
    for (const [path, names] of [
      [`${PAIR}&pay_in=cash&offers=all`, ['sort=cost', 'sort=speed', 'pay_in=cash']],
      [BOARD, ['period=7d', 'period=1y', 'from=KES&to=USD', '/send/united-states-to-kenya?']],
    ] as const) {
      const { text } = await visit(`${path}&${at}`)
      const own = new RegExp(`href="(/\\?[^"]+|${PAIR.split('?')[0]}\\?[^"]+)"`, 'g')
      const hrefs = [...text.matchAll(own)].map(([, href]) => textOf(href!))
      expect(hrefs.filter((href) => !href.includes(at))).toEqual([path])
      for (const name of names)
        expect([name, hrefs.some((href) => href.includes(name))]).toEqual([name, true])
      for (const [form] of text.matchAll(/<form[^>]*method="get".*?<\/form>/gs))
        expect(form).toContain(`name="known_at" value="${iso(thenMs)}"`)
    }
  })

  test.each([
    ['not a time', 'yesterday'],
    ['a time that does not exist', '2026-02-30T00:00:00Z'],
    ['in the future', '2099-01-01T00:00:00Z'],
    ['nothing', ''],
  ])('returns 400 with a page for %s', async (_, at) => {
    for (const path of [PAIR, BOARD]) {
      const { status, text } = await visit(`${path}&known_at=${encodeURIComponent(at)}`)
      expect([path, status]).toEqual([path, 400])
      expect(textOf(text)).toContain('These prices cannot be shown')
    }
  })

  test.each([
    ...['/corridors', '/providers', '/providers/retail-b', '/send'],
    ...['/embed?source=US&target=KE&amount=200', '/fr/corridors?currency=KES'],
  ])('returns 400 with a page for any time of %s, which has current prices alone', async (path) => {
    const separator = path.includes('?') ? '&' : '?'
    const { status, text } = await visit(`${path}${separator}known_at=${iso(thenMs)}`)
    expect(status).toBe(400)
    expect(textOf(text)).toMatch(/current prices alone|ne montre que les prix actuels/)
    expect(text).toContain(`<a href="${path.replaceAll('&', '&amp;')}">`)
    expect(/<header|<form/.test(text)).toBe(!path.startsWith('/embed'))
    expect((await visit(path)).status).toBe(200)
  })

  test('returns 200 without prices before the first record', async () => {
    const { status, text } = await visit(`${PAIR}&known_at=2020-01-01T00:00:00Z`)
    expect(status).toBe(200)
    expect(text).not.toContain('<summary>Cite')
  })
})
