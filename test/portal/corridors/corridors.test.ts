import { beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { SeriesStore } from '~/service/series.ts'
import { CURRENCIES, currency, PROVIDERS } from '../../support/catalogue.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, pastWith, rowsOf, textOf, visit } from '../portal-world.ts'

const AT = '2026-03-05T13:00:00Z'

let world: World
beforeEach(() => {
  world = new World()
  world.reference({ KES: 130, NGN: 1500, UGX: 3700 }, { at: AT })
  world.quote(
    { providerId: 'retail-a', rate: 129, at: AT },
    { providerId: 'retail-b', rate: 128, at: '2026-03-01T13:00:00Z' },
    { providerId: 'official-a', rate: 140, at: '2026-03-05T14:00:00Z' },
    { providerId: 'retail-a', from: 'USD', to: 'NGN', rate: 1600, at: '2026-03-04T13:00:00Z' },
    { providerId: 'official-a', from: 'GBP', to: 'KES', rate: 170, at: '2026-02-04T13:00:00Z' },
  )
})

const bodyRows = (html: string) => rowsOf(html).slice(1)
const corridors = (html: string) => bodyRows(html).map(([name]) => name!.replace(' → to ', '/'))

const SEEN = ['85 minutes ago 5 Mar 2026, 13:00 UTC']
const OLD = '23 days ago 10 Feb 2026, 13:00 UTC old'

describe('GET /corridors', () => {
  test('lists the quoted corridors, the busiest first', async () => {
    const { status, text } = await visit(world, '/corridors')
    expect(status).toBe(200)
    expect(bodyRows(text)).toEqual([
      [
        'USD → to KES',
        '129.00 Provider retail-a',
        '−0.77%',
        '3',
        '0.39%',
        '85 minutes ago 5 Mar 2026, 13:00 UTC',
        '',
      ],
      ['GBP → to KES', 'official rate only', '–', '1', '–', '–', ''],
      [
        'USD → to NGN',
        '1,600.00 Provider retail-a',
        '–',
        '1',
        '0.00%',
        '25 hours ago 4 Mar 2026, 13:00 UTC',
        '',
      ],
    ])
    expect(text).toContain('href="/?from=USD&amp;to=KES"')
  })

  test('has the best current rate, and an older one, marked, if there is no other', async () => {
    world.reference({ KES: 140 }, { at: '2026-02-10T12:00:00Z' })
    world.quote({ providerId: 'p2p-a', rate: 150, at: '2026-02-10T13:00:00Z' })
    world.quote({ providerId: 'p2p-a', to: 'UGX', rate: 3600, at: '2026-02-10T13:00:00Z' })
    const rows = bodyRows((await visit(world, '/corridors?sort=corridor')).text)
    expect(rows.slice(1)).toEqual([
      ['USD → to KES', '129.00 Provider retail-a', '−0.77%', '4', '0.26%', ...SEEN, ''],
      ['USD → to NGN', '1,600.00 Provider retail-a', '–', '1', '0.00%', expect.any(String), ''],
      ['USD → to UGX', '3,600.00 Provider p2p-a', '–', '1', '0.00%', OLD, ''],
    ])
  })

  test('sorts by the mid with older best prices after the current ones', async () => {
    world.reference({ KES: 140, UGX: 3500 }, { at: '2026-02-10T12:00:00Z' })
    world.quote({ providerId: 'p2p-a', to: 'UGX', rate: 3600, at: '2026-02-10T13:00:00Z' })
    for (const order of ['asc', 'desc']) {
      const { text } = await visit(world, `/corridors?sort=mid&order=${order}`)
      expect(corridors(text).at(-1)).toBe('USD/UGX')
    }
  })

  test.each([
    ['corridor', 'asc', ['GBP/KES', 'USD/KES', 'USD/NGN']],
    ['corridor', 'desc', ['USD/NGN', 'USD/KES', 'GBP/KES']],
    ['providers', 'asc', ['GBP/KES', 'USD/NGN', 'USD/KES']],
    ['spread', 'asc', ['USD/NGN', 'USD/KES', 'GBP/KES']],
    ['spread', 'desc', ['USD/KES', 'USD/NGN', 'GBP/KES']],
    ['mid', 'asc', ['USD/KES', 'GBP/KES', 'USD/NGN']],
    ['age', 'asc', ['USD/KES', 'USD/NGN', 'GBP/KES']],
    ['age', 'desc', ['USD/NGN', 'USD/KES', 'GBP/KES']],
    ['nonsense', 'asc', ['GBP/KES', 'USD/NGN', 'USD/KES']],
  ])('sorts by %s, %s, with unknown values last in both directions', async (sort, order, names) => {
    const { text } = await visit(world, `/corridors?sort=${sort}&order=${order}`)
    expect(corridors(text)).toEqual(names)
  })

  test('marks the sorted column, with a link that reverses the order', async () => {
    const { text } = await visit(world, '/corridors?sort=spread')
    expect(text).toMatch(/<th[^>]* aria-sort="ascending"><a href="[^"]*sort=spread&amp;order=desc"/)
    expect(text.match(/aria-sort/g)).toHaveLength(1)
  })

  test('uses the order chosen by the form, and shows it', async () => {
    const { text } = await visit(world, '/corridors?currency=&sort=corridor-desc')
    expect(corridors(text)).toEqual(['USD/NGN', 'USD/KES', 'GBP/KES'])
    expect(text).toContain('<option value="corridor-desc" selected>Corridor, Z to A</option>')
    const [, form] = /<select id="sort"(.*?)<\/select>/.exec(text)!
    for (const [, name] of form!.matchAll(/value="([^"]+)"/g)) {
      const chosen = await visit(world, `/corridors?sort=${name}`)
      expect(chosen.text).toContain(`<option value="${name}" selected>`)
    }
  })

  test('lists only the corridors that begin or end with a currency', async () => {
    const { text } = await visit(world, '/corridors?currency=kes')
    expect(corridors(text)).toEqual(['USD/KES', 'GBP/KES'])
    expect(textOf(text)).toContain('2 corridors with prices from or to KES')
    expect(text).toContain('<option value="KES" selected>')
    expect(text).toContain('currency=KES')
  })

  test('says that a known currency has no corridors, with the way back', async () => {
    const { status, text } = await visit(world, '/corridors?currency=ZAR')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No corridors here')
    expect(textOf(text)).toContain('See all corridors.')
  })

  test('returns 400 to an unknown currency, with all corridors below', async () => {
    const { status, text } = await visit(world, '/corridors?currency=%3Cscript%3E')
    expect(status).toBe(400)
    expect(textOf(text)).toContain('<script> is not a currency we know.')
    expect(text).not.toContain('<script>')
    expect(corridors(text)).toHaveLength(3)
  })

  test('says that there are no corridors', async () => {
    const { status, text } = await visit(new World(), '/corridors')
    expect(status).toBe(200)
    expect(textOf(text)).toContain('No provider has given a price yet.')
    const narrowed = await visit(new World(), '/corridors?currency=KES')
    expect(textOf(narrowed.text)).toContain('No provider has given a price yet.')
  })

  test("shows a provider's name with a script as text", async () => {
    const catalogue = catalogueWith({ name: HOSTILE_NAME })
    world.memory.publish({ catalogue }, world.clock.now())
    world.quote({ providerId: 'retail-b', rate: 135, at: AT })
    const { text } = await visit(world, '/corridors')
    expect(textOf(text)).toContain(HOSTILE_NAME)
    expect(text).not.toContain('<script>')
  })

  test('lists a thousand corridors in small pages of fifty', async () => {
    const codes = Array.from(
      { length: 33 },
      (_, i) => `Q${String.fromCharCode(65 + i / 26, 65 + (i % 26))}`,
    )
    const currencies = [...CURRENCIES, ...codes.map((code) => currency(code))]
    const all = codes
      .flatMap((from) => codes.map((to) => ({ from, to })))
      .filter(({ from, to }) => from !== to)
    const past = pastWith({
      buckets: async ({ fromMs, beforeMs }) =>
        Array.from({ length: Math.ceil((beforeMs - fromMs) / DAY_MS) }, (_, day) => ({
          startMs: fromMs + day * DAY_MS,
          ...{ best: 1 + Math.sin(day) / 20, candle: null, samples: 1 },
        })),
      worthsBefore: async (_, momentsMs) => momentsMs.map((atMs) => ({ perUsd: 2, atMs })),
    })
    const of = new World({ past })
    of.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, of.clock.now())
    of.quote(...all.map((pair) => ({ providerId: 'retail-a', rate: 1.5, at: AT, ...pair })))
    const seen = new Set<string>()
    for (let page = 1; page <= 22; page++) {
      const { text } = await visit(of, `/corridors?sort=corridor&page=${page}`)
      for (const name of corridors(text)) seen.add(name)
      expect(text.match(/<svg class="spark"/g)?.length).toBe(page === 22 ? 6 : 50)
      expect(Bun.gzipSync(text).byteLength).toBeLessThan(40_000)
    }
    expect(seen.size).toBe(33 * 32)
    const last = await visit(of, '/corridors?sort=corridor&page=999999')
    expect(corridors(last.text)).toHaveLength(6)
    expect(last.text).toMatch(/page=22" aria-current="page"/)
    expect((await visit(of, '/corridors?page=0')).status).toBe(200)
  })
})

describe('the trends of GET /corridors', () => {
  const NOW = '2026-03-05T14:25:30.500Z'

  function trendsOf(store: Partial<SeriesStore>) {
    const of = new World({ at: NOW, past: pastWith(store) })
    of.quote({ providerId: 'retail-a', rate: 129, at: AT })
    return of
  }

  const bucketOf =
    (day: string, best: number): SeriesStore['buckets'] =>
    async ({ fromMs, beforeMs }) =>
      [{ startMs: Date.parse(day), best, candle: null, samples: 1 }].filter(
        ({ startMs }) => startMs >= fromMs && startMs < beforeMs,
      )

  test('have a line each for mid and best rate, and the move in words', async () => {
    const of = trendsOf({
      buckets: bucketOf('2026-02-07', 101),
      worthsBefore: async (_, momentsMs) =>
        momentsMs.map((ms) => {
          const day = Math.ceil((ms - Date.parse('2026-02-04')) / DAY_MS) - 1
          return { perUsd: 100 + day, atMs: ms - 1 }
        }),
    })
    const { text } = await visit(of, '/corridors')
    expect(text).toContain('aria-label="USD to KES, 30 days: mid +29.00%"')
    expect(text.match(/class="spark-(mid|best)"/g)).toHaveLength(2)
  })

  test('end the line of the best rate with the current rate', async () => {
    const of = trendsOf({ buckets: bucketOf('2026-03-04', 129) })
    const { text } = await visit(of, '/corridors')
    expect(text).toContain('<path class="spark-best" d="M90 12h6"')
  })

  test('leave a suspect price out of the line of the best rate', async () => {
    const worthsBefore: SeriesStore['worthsBefore'] = async (_, momentsMs) =>
      momentsMs.map((ms) => ({ perUsd: 100, atMs: ms - 1 }))
    const lineOf = async (best: number) => {
      const of = trendsOf({ buckets: bucketOf('2026-03-04', best), worthsBefore })
      return (await visit(of, '/corridors')).text.includes('d="M90 ')
    }
    expect([await lineOf(110), await lineOf(110.01)]).toEqual([true, false])
  })

  test('use the same queries for all requests within an hour', async () => {
    const windows: object[] = []
    const of = trendsOf({
      buckets: async ({ fromMs, beforeMs }) => {
        windows.push({ fromMs, beforeMs })
        return []
      },
    })
    await Promise.all(Array.from({ length: 5 }, () => visit(of, '/corridors')))
    await visit(of, '/corridors?sort=age')
    const today = Date.parse('2026-03-05T00:00:00Z')
    expect(windows).toEqual([
      { fromMs: Date.parse('2026-02-03T00:00:00Z'), beforeMs: today },
      { fromMs: today, beforeMs: Date.parse('2026-03-05T14:00:00Z') + 1 },
    ])
    of.clock.set('2026-03-05T15:00:00Z')
    await visit(of, '/corridors')
    expect(windows).toHaveLength(3)
  })

  test('are left out while the database is unreachable, and queried by the next request', async () => {
    let isAway = true
    const of = trendsOf({
      async worthsBefore(_, momentsMs) {
        if (isAway) throw new Error('away')
        return momentsMs.map((ms) => ({ perUsd: 130, atMs: ms - 1 }))
      },
    })
    const away = await visit(of, '/corridors')
    expect(away.status).toBe(200)
    expect(textOf(away.text)).toContain('The last 30 days are not available at the moment')
    expect(textOf(away.text)).toContain('129.00')
    isAway = false
    expect(textOf((await visit(of, '/corridors')).text)).not.toContain('not available')
  })

  test('are left out if the database does not respond at all', async () => {
    const of = trendsOf({ buckets: () => new Promise(() => {}) })
    expect((await visit(of, '/corridors')).status).toBe(200)
  })
})
