import { beforeEach, describe, expect, test } from 'bun:test'
import { LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { catalogueWith, HOSTILE_NAME, rowsOf, textOf, visit } from '../portal-world.ts'

const PRICE = { fee: 0, at: '2026-03-05T13:00:00Z', providerId: 'retail-a' }

let world: World
beforeEach(() => {
  world = new World()
  world.reference({ KES: 131, NGN: 1500 }, { at: '2026-03-05T12:00:00Z' })
})

const price = (target: 'KE' | 'NG', rate: number, more = {}) => ({
  ...{ ...PRICE, rate, from: 'USD', to: target === 'KE' ? 'KES' : 'NGN' },
  offer: offer({ sourceCountry: 'US', targetCountry: target }),
  ...more,
})

const namesOf = async (query: string) =>
  rowsOf((await visit(world, `/ranking${query}`)).text)
    .slice(1)
    .map(([name]) => name)

describe('GET /ranking', () => {
  beforeEach(() => {
    world.quote(price('KE', 128), price('NG', 1350), price('NG', 1380, { providerId: 'retail-b' }))
  })

  test('ranks the pairs from the dearest, or from the cheapest', async () => {
    const dearest = ['United States to Nigeria', 'United States to Kenya']
    expect(await namesOf('')).toEqual(dearest)
    expect(await namesOf('?order=lowest')).toEqual(dearest.toReversed())
  })

  test('follows a new price, and the hour from which it is shown', async () => {
    const costOf = async () => (await visit(world, '/ranking.csv')).text.split(',US,KE')[0]
    const before = await costOf()
    world.quote(price('KE', 100))
    expect(await costOf()).not.toBe(before)
    expect(await namesOf('')).toEqual(['United States to Kenya', 'United States to Nigeria'])
  })

  test('says how many pairs are within the goals, and whether each is', async () => {
    const { text } = await visit(world, '/ranking')
    expect(textOf(text)).toContain('the goal of the United Nations: 1 of 2.')
    expect(rowsOf(text).map((row) => row.at(-1))).toEqual(['Goal of 3%', 'not met', 'met'])
  })

  test('ranks providers by their cheapest offers, also for one sender or recipient', async () => {
    expect(await namesOf('?of=providers')).toEqual(['Provider retail-b', 'Provider retail-a'])
    expect(await namesOf('?of=providers&target=KE')).toEqual(['Provider retail-a'])
    expect(await namesOf('?target=KE')).toEqual(['United States to Kenya'])
    expect(await namesOf('?source=GB')).toEqual([])
  })

  test('shows the default ranking for an invalid query', async () => {
    for (const query of ['?of=<b>', '?order=x', '?source=XX&target=<b>', '?source='])
      expect(await namesOf(query)).toHaveLength(2)
  })

  test('says that there are no prices, and has a file with columns alone', async () => {
    world = new World()
    expect(textOf((await visit(world, '/ranking')).text)).toContain('No prices yet')
    expect((await visit(world, '/ranking.csv')).text.trim().split('\r\n')).toHaveLength(1)
    expect((await visit(world, '/ranking.svg')).text).not.toContain('NaN')
  })

  test('is available as CSV, with the contents of the page', async () => {
    const { text, headers } = await visit(world, '/ranking.csv')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, first] = text.split('\r\n')
    expect(head).toStartWith('source_country,target_country,from,to,average_pct,smart_pct,offers')
    expect(first).toStartWith('US,NG,USD,NGN,9,,2,0,false,false,false,200,2026-03-05T')
  })

  test('is available as either kind of picture, loadable by any page', async () => {
    const svg = await visit(world, '/fr/ranking.svg')
    expect(svg.headers.get('content-type')).toBe('image/svg+xml')
    expect(svg.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(svg.headers.has('x-frame-options')).toBe(false)
    const { text } = await visit(world, '/fr/ranking')
    expect(text).toContain('src="/fr/ranking.svg"')
    expect(svg.headers.get('vary')).toContain('accept-language')
    expect(svg.text).toContain('<title>Paires de pays\u202f: du plus cher')
    expect(svg.text).toContain('États-Unis vers Nigeria')
    const png = await world.app.handle(new Request('http://localhost/ranking.png'))
    expect([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)]).toEqual([80, 78, 71])
  })
})

test.each([HOSTILE_NAME, '=1+1', 'بنك'])(
  'a provider named %s breaks no table or chart',
  async (name) => {
    world.memory.publish({ catalogue: catalogueWith({ name }) }, world.clock.now())
    world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    world.quote(price('KE', 128, { providerId: 'retail-b' }))
    for (const language of LANGUAGES)
      for (const path of ['/ranking?of=providers', '/ranking.svg?of=providers'])
        expect((await visit(world, prefixOf(language) + path)).text).not.toContain('<script>alert')
    const { text } = await visit(world, '/ranking.csv?of=providers')
    expect(text).not.toMatch(/,"?=/)
  },
)

describe('GET /data', () => {
  test('names the files, the licences and a citation, and no daily file if there is none', async () => {
    world.quote(price('KE', 128))
    const { status, text } = await visit(world, '/data')
    expect(status).toBe(200)
    expect(text).toContain('href="/ranking.csv"')
    expect(text).toContain('href="/ranking.csv?of=providers"')
    expect(text).toContain('action="/board/costs.csv"')
    expect(textOf(text)).toContain('Prices as of 5 Mar 2026')
    expect(text).not.toContain('/data/prices.csv')
    expect(textOf(text)).toContain('Ask them how you may use them.')
  })

  test('describes its files to search engines', async () => {
    const { text } = await visit(world, '/data')
    const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)!
    const facts = JSON.parse(json!)
    expect(facts).toMatchObject({
      ...{ '@context': 'https://schema.org', '@type': 'Dataset', isAccessibleForFree: true },
      ...{ url: 'http://localhost/data', license: 'http://localhost/data#licences-title' },
      creator: { '@type': 'Organization', name: 'Corridor', url: 'http://localhost/' },
    })
    expect(text).toContain('id="licences-title"')
    expect(unknownIn(facts)).toEqual([])
    const length = facts.description.length
    expect([length >= DESCRIPTION_LENGTH_MIN, length <= 5000]).toEqual([true, true])
    for (const one of facts.distribution)
      expect(one).toMatchObject({ '@type': 'DataDownload', encodingFormat: 'text/csv' })
    for (const { contentUrl } of facts.distribution)
      expect((await visit(world, contentUrl.replace('http://localhost', ''))).status).toBe(200)
  })

  test.each(LANGUAGES)('is in %s, the ranking too', async (language) => {
    for (const path of ['/data', '/ranking']) {
      const { status, text } = await visit(world, prefixOf(language) + path)
      expect(status).toBe(200)
      expect(text).toContain(`<html lang="${language}"`)
    }
  })
})

/** The shortest description of a dataset that Google accepts. */
const DESCRIPTION_LENGTH_MIN = 50

/** The used properties of schema.org's types, by type. */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  Dataset: [
    ...['name', 'description', 'url', 'isAccessibleForFree', 'license', 'creator'],
    ...['dateModified', 'distribution'],
  ],
  Organization: ['name', 'url'],
  DataDownload: ['encodingFormat', 'contentUrl'],
  ExchangeRateSpecification: ['currency', 'currentExchangeRate'],
  UnitPriceSpecification: ['price', 'priceCurrency', 'validFrom'],
}

/** Properties that the type of a description, or of a nested one, does not have. */
function unknownIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(unknownIn)
  if (typeof value !== 'object' || value === null) return []
  const { '@context': _, '@type': type, ...own } = value as Record<string, unknown>
  const known = PROPERTIES[String(type)] ?? []
  const unknown = Object.keys(own).filter((name) => !known.includes(name))
  return [...unknown.map((name) => `${type}.${name}`), ...Object.values(own).flatMap(unknownIn)]
}

test('the page of a ranking has its chart as a picture, in its language and for its query', async () => {
  world.quote(price('KE', 128), price('NG', 1350))
  const { text } = await visit(world, '/fr/ranking?of=providers&source=US')
  const url = 'http://localhost/fr/ranking'
  for (const [name, content] of [
    ['og:url', `${url}?of=providers&amp;source=US`],
    ['og:image', `${url}.png?of=providers&amp;source=US`],
    ['og:image:width', '1440'],
  ])
    expect(text).toContain(`<meta property="${name}" content="${content}"/>`)
  const bytes = await (
    await world.app.handle(new Request(`${url}.png?of=providers&source=US`))
  ).arrayBuffer()
  const [, height] = /"og:image:height" content="(\d+)"/.exec(text)!
  expect(new DataView(bytes).getUint32(20)).toBe(Number(height))
})

test('the page of a pair has the mid for search engines', async () => {
  world.quote(price('KE', 128))
  const { text } = await visit(world, '/send/united-states-to-kenya')
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)!
  expect(unknownIn(JSON.parse(json!))).toEqual([])
  expect(JSON.parse(json!)).toMatchObject({
    ...{ '@type': 'ExchangeRateSpecification', currency: 'USD' },
    currentExchangeRate: { price: 131, priceCurrency: 'KES' },
  })
})
