import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LANGUAGE_COOKIE } from '~/portal/words/asked.ts'
import { preferredLanguage, withoutLanguage } from '~/portal/words/language.ts'
import { ORIGIN, replyOf, World } from '../../support/world.ts'
import { visit } from '../portal-world.ts'

describe('preferredLanguage', () => {
  test.each([
    [null, 'en'],
    ['', 'en'],
    ['fr', 'fr'],
    ['FR-ca', 'fr'],
    ['tlh', 'en'],
    ['tlh, eo;q=0.9, *;q=0.1', 'en'],
    [
      'de, nl;q=0.9, it;q=0.8, es;q=0.7, pt-MZ;q=0.6, sw;q=0.5, ar;q=0.4, fr;q=0.3, en;q=0.2, zu;q=0.1',
      'pt',
    ],
    ['en;q=0.5, sw;q=0.9', 'sw'],
    ['ar;q=0, fr;q=0.1', 'fr'],
    ['fr;q=abc, ar;q=0.2', 'ar'],
    ['fr;q=2, sw', 'sw'],
    [`${'x,'.repeat(10_000)}fr`, 'en'],
  ] as const)('%j prefers %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language)
  })

  test('a path without one of our languages stays unchanged', () => {
    expect(withoutLanguage('/fr')).toBe('/')
    expect(withoutLanguage('/fr/send/x')).toBe('/send/x')
    expect(withoutLanguage('/french')).toBe('/french')
    expect(withoutLanguage('/en/send')).toBe('/en/send')
  })
})

describe('the language of a page', () => {
  let world: World

  beforeAll(async () => {
    world = new World()
  })
  afterAll(() => {})

  const languageAt = async (path: string, headers: Record<string, string> = {}) => {
    const { headers: own, text } = await visit(world, path, { accept: 'text/html', ...headers })
    const [, shown] = /<html lang="(\w+)"/.exec(text) ?? []
    expect(own.get('content-language')).toBe(shown!)
    expect(own.get('vary')).toContain('accept-language')
    expect(own.get('vary')).toContain('cookie')
    return shown
  }

  test("is the one of its address, else the one chosen, else the browser's preference", async () => {
    const cookie = `${LANGUAGE_COOKIE}=sw`
    expect(await languageAt('/privacy')).toBe('en')
    expect(await languageAt('/privacy', { 'accept-language': 'fr-CI, en;q=0.5' })).toBe('fr')
    expect(await languageAt('/privacy', { 'accept-language': 'fr', cookie })).toBe('sw')
    expect(await languageAt('/ar/privacy', { 'accept-language': 'fr', cookie })).toBe('ar')
    expect(await languageAt('/privacy', { cookie: `${LANGUAGE_COOKIE}=xx` })).toBe('en')
  })

  test('applies to a 404 too, at a language address of nothing', async () => {
    const { status, text } = await visit(world, '/fr/nothing', { accept: 'text/html' })
    expect(status).toBe(404)
    expect(text).toContain('<html lang="fr">')
    expect(text).toContain('Page introuvable')
    expect((await visit(world, '/de/privacy', { accept: 'text/html' })).status).toBe(404)
    expect((await visit(world, '/fr/docs', { accept: 'text/html' })).status).toBe(404)
  })

  test('is that of the pages it leads to, and of no other path', async () => {
    const { text } = await visit(world, '/pt/privacy')
    expect(text).toContain('href="/pt/corridors"')
    expect(text).toContain('href="/docs"')
    expect(text).not.toContain('href="/corridors"')
    expect(text).toContain('action="/language"')
  })

  test('is announced to search engines, with the address for each', async () => {
    const { text } = await visit(world, '/fr/privacy')
    expect(text).toContain(`<link rel="canonical" href="${ORIGIN}/fr/privacy"/>`)
    for (const [language, path] of [
      ['x-default', '/privacy'],
      ['en', '/privacy'],
      ['ar', '/ar/privacy'],
    ])
      expect(text).toContain(`hreflang="${language}" href="${ORIGIN}${path}"`)
    const { text: map } = await visit(world, '/sitemap.xml')
    for (const path of ['/privacy', '/sw/privacy', '/sw/'])
      expect(map).toContain(`<loc>${ORIGIN}${path}</loc>`)
  })

  const choose = async (fields: Record<string, string>) =>
    replyOf(
      await world.app.handle(
        new Request(`${ORIGIN}/language`, { method: 'POST', body: new URLSearchParams(fields) }),
      ),
    )

  test('is chosen with a 303 to the same page in it, and remembered', async () => {
    const { status, headers } = await choose({ language: 'fr', page: '/send?x=1' })
    expect([status, headers.get('location')]).toEqual([303, '/fr/send?x=1'])
    expect(headers.get('set-cookie')).toStartWith(`${LANGUAGE_COOKIE}=fr; Max-Age=`)
    expect((await choose({ language: 'en', page: '/send' })).headers.get('location')).toBe('/send')
  })

  test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '/docs', '', '/a\nb'])(
    'is chosen from %j with a 303 to the board and nowhere else',
    async (page) => {
      expect((await choose({ language: 'ar', page })).headers.get('location')).toBe('/ar/')
    },
  )

  test('is not changed by an unknown choice, which gets a 303', async () => {
    const { headers } = await choose({ language: 'tlh', page: '/send' })
    expect([headers.get('location'), headers.get('set-cookie')]).toEqual(['/send', null])
    expect((await choose({ page: 'x'.repeat(20_000) })).headers.get('location')).toBe('/')
  })
})
