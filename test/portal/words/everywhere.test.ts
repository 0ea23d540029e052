import { beforeAll, describe, expect, test } from 'bun:test'
import { isSpoken, PATHS } from '~/portal/paths.ts'
import { FURTHER_LANGUAGES, LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { offer } from '../../support/offers.ts'
import { ORIGIN, World } from '../../support/world.ts'
import { catalogueWith, visit } from '../portal-world.ts'
import { englishIn } from './english.ts'

/** Pages in English alone: the reference, recording and operating; and paths without a page. */
const ENGLISH_ONLY = [
  ...[PATHS.pictures, PATHS.reference, PATHS.ownData, PATHS.language],
  ...Object.values(PATHS).filter((path) => /^\/(operator|developer\/prices)/.test(path)),
]

const PAIR = '/send/united-states-to-kenya'
const PAGES = [
  ...['/', '/?from=USD&to=KES', '/corridors', '/send', `${PAIR}?amount=200`, '/providers'],
  ...['/providers/retail-b', '/data', '/ranking', '/ranking?of=providers', '/methodology'],
  ...['/methodology/1', '/verify', '/privacy', '/embed?source=US&target=KE', '/nothing'],
]

/** A world with a price of a provider of some name between two countries. */
function worldOf(name: string): World {
  const world = new World()
  const { currencies, providers } = catalogueWith({ name })
  const named = providers.map((one) => (one.id === 'retail-b' ? one : { ...one, name: one.id }))
  world.memory.publish({ catalogue: { currencies, providers: named } }, world.clock.now())
  const quote = { providerId: 'retail-b', from: 'USD', to: 'KES', rate: 130 }
  const countries = offer({ sourceCountry: 'US', targetCountry: 'KE' })
  world.quote({ ...quote, at: '2026-03-05T13:00:00Z', offer: countries })
  return world
}

const asked = (world: World, path: string) => visit(world, path, { accept: 'text/html' })

describe('the pages in every language', () => {
  test('are all pages but those for developers and operators', () => {
    const silent = Object.values(PATHS).filter((path) => !isSpoken(path))
    expect(silent.sort()).toEqual([...ENGLISH_ONLY].sort())
  })

  test.each(FURTHER_LANGUAGES)('%s is not mixed with English', async (language) => {
    const world = worldOf('Ubongo')
    for (const path of PAGES) {
      const { text } = await asked(world, prefixOf(language) + path)
      expect([path, englishIn(text)]).toEqual([path, null])
    }
  })

  test.each(FURTHER_LANGUAGES)(
    '%s leads to its own pages, and to none in another language',
    async (one) => {
      const world = worldOf('Ubongo')
      const links = new Set<string>()
      for (const path of PAGES) {
        const { text } = await asked(world, prefixOf(one) + path)
        for (const [, href] of text.matchAll(/<a [^>]*?href="(\/[^"#]*)/g))
          links.add(href!.replaceAll('&amp;', '&'))
      }
      const start = `${prefixOf(one)}/`
      const own = [...links].filter((link) => link.startsWith(start))
      expect(own.length).toBeGreaterThan(20)
      for (const link of own) {
        const { status } = await asked(world, link)
        // signing in needs a database, which this world lacks
        const isThere = status !== 404 || /\/(sign-|developer|alerts)/.test(link)
        expect([link, isThere]).toEqual([link, true])
      }
      const others = [...links].filter((link) => !link.startsWith(start))
      expect(others.filter(isSpoken)).toEqual([])
    },
  )

  test('are announced to search engines in each other language, new ones too', async () => {
    const world = worldOf('Ubongo')
    const { text: map } = await visit(world, '/sitemap.xml')
    for (const path of ['/methodology', '/verify', '/data', '/ranking', PAIR])
      for (const language of LANGUAGES) {
        const url = `${ORIGIN}${prefixOf(language)}${path}`
        expect(map).toContain(`<loc>${url}</loc>`)
        const { text } = await asked(world, path)
        expect(text).toContain(`hreflang="${language}" href="${url}"`)
      }
    const { text } = await asked(world, '/docs')
    expect(text).not.toContain('hreflang')
  })
})

describe('a provider of an odd name', () => {
  let worlds: { name: string; world: World }[]
  beforeAll(() => {
    worlds = ['<b>', '=1+1', '{name}', 'بنك النيل'].map((name) => ({ name, world: worldOf(name) }))
  })

  test.each(LANGUAGES)('is unchanged on every page of %s', async (language) => {
    for (const { name, world } of worlds)
      for (const path of ['/?from=USD&to=KES', `${PAIR}?amount=200`, '/providers', '/ranking']) {
        const { status, text } = await asked(world, prefixOf(language) + path)
        expect([path, status]).toEqual([path, 200])
        expect(text).not.toContain('<b>')
        expect([path, text.includes(name.replace('<', '&lt;'))]).toEqual([
          path,
          path !== '/ranking',
        ])
      }
  })

  test('keeps its direction next to a Latin code', async () => {
    const { world } = worlds.at(-1)!
    for (const path of ['/?from=USD&to=KES', `${PAIR}?amount=200`, '/providers']) {
      const { text } = await asked(world, path)
      const shown = text.slice(text.indexOf('<body')).replace(/ [\w-]+="[^"]*"/g, '')
      const places = [...shown.matchAll(/(.{12})بنك النيل/gsu)].map(([, before]) => before!)
      expect(places.length).toBeGreaterThan(0)
      for (const before of places) expect(before).toMatch(/(<bdi>|\u2068)$/)
    }
  })
})
