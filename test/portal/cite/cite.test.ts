import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
/** The top of an hour between a price of 120 and its correction to 140. */
let thenMs: number

const price = { provider_id: 'retail-a', from: 'USD', to: 'KES', fee: 0 }

const visit = async (path: string) =>
  replyOf(await known.world.app.handle(new Request(`${ORIGIN}${path}`)))

/** The address in the citation of a page. */
const cited = (html: string): string =>
  /https?:\/\/\S+known_at=[\dT:.-]+Z/.exec(textOf(html))![0].replace(ORIGIN, '')

beforeAll(async () => {
  known = await KnownWorld.start(await stockedDatabase())
  await known.feed({ KES: 130, GBP: 0.8 }, 0)
  const effective_from = iso(known.nowMs)
  await known.post([{ ...price, rate: 120, effective_from }])
  await known.advance(HOUR_MS - (known.nowMs % HOUR_MS) + 5 * MINUTE_MS)
  thenMs = known.nowMs - (known.nowMs % HOUR_MS)
}, TEST_MS_MAX)
afterAll(() => known.world.database.close())

describe('the citation of a page', () => {
  test(
    'leads to the prices of its time, after a correction too, in every language',
    async () => {
      const before = new Map<string, string>()
      for (const language of LANGUAGES)
        for (const path of [PAIR, BOARD]) {
          const { status, text } = await visit(language + path)
          expect([language + path, status]).toEqual([language + path, 200])
          const link = cited(text)
          expect(link).toStartWith(language || path.slice(0, 2))
          expect(link).toEndWith(`known_at=${iso(thenMs)}`)
          expect(text).toContain(`note = {Known at ${iso(thenMs)}}`)
          before.set(language + path, link)
        }
      const [said] = known.rows
      await known.post([{ ...said!, rate: 140 }])
      await known.advance(HOUR_MS)
      for (const [path, link] of before) {
        const now = textOf((await visit(path)).text)
        expect([path, /28.?000/.test(now), /24.?000/.test(now)]).toEqual([path, true, false])
        const { status, text } = await visit(link)
        const then = textOf(text)
        expect([link, status]).toEqual([link, 200])
        expect([link, /24.?000/.test(then), /28.?000/.test(then)]).toEqual([link, true, false])
        expect(cited(text)).toBe(link)
      }
    },
    TEST_MS_MAX,
  )

  test('says on the page that it is of an earlier time, and leads to that of now', async () => {
    const { text } = await visit(`${PAIR}&known_at=${iso(thenMs)}`)
    expect(textOf(text)).toContain('This page shows what had been recorded by then')
    expect(text).toContain(`href="${PAIR}"`)
    expect(text).toContain('<link rel="canonical"')
  })

  test.each([
    ['not a time', 'yesterday'],
    ['a time that does not exist', '2026-02-30T00:00:00Z'],
    ['in the future', '2099-01-01T00:00:00Z'],
    ['nothing', ''],
  ])('400 with a page for %s', async (_, at) => {
    for (const path of [PAIR, BOARD]) {
      const { status, text } = await visit(`${path}&known_at=${encodeURIComponent(at)}`)
      expect([path, status]).toEqual([path, 400])
      expect(textOf(text)).toContain('These prices cannot be shown')
    }
  })

  test('200 without prices before the first record', async () => {
    const { status, text } = await visit(`${PAIR}&known_at=2020-01-01T00:00:00Z`)
    expect(status).toBe(200)
    expect(text).not.toContain('<summary>Cite')
  })
})
