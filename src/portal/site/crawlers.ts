import { type FileContent, StaticFile } from '~/http/static-file.ts'
import type { View } from '~/memory/view.ts'
import { isSpoken, PATHS } from '~/portal/paths.ts'
import { livePairs } from '~/portal/place/live-pairs.ts'
import { pairPath } from '~/portal/place/pair.ts'
import { providerPath } from '~/portal/providers/path.ts'
import { type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { LANGUAGES, prefixOf } from '~/portal/words/language.ts'

const SITEMAP_PATH = '/sitemap.xml'

/** Instructions for crawlers: all pages, and those that are useless to them. */
export function crawlerRoutes(deps: PublicDeps) {
  const route = (path: string, make: (base: string, view: View) => FileContent) =>
    publicFile(deps, path, ({ request, url, view }) =>
      new StaticFile(make(deps.publicUrl ?? url.origin, view)).reply(request, 'revalidated'),
    )
  return [
    route('/robots.txt', (base) => ({ bytes: robots(base, deps.pages.mount), type: TEXT })),
    route(SITEMAP_PATH, (base, view) => ({ bytes: sitemap(base, view), type: 'application/xml' })),
  ]
}

const TEXT = 'text/plain; charset=utf-8'

/** Pages for one person, and responses for programs. `/?` is the board for every query. */
const CLOSED = [
  ...['/?', '/api/', '/mcp', PATHS.developer, PATHS.operator, PATHS.signUp, PATHS.signIn],
  ...[PATHS.mailed, PATHS.confirm, PATHS.forgotten, PATHS.reset, '/board/', PATHS.embed],
  ...[PATHS.tellMe, PATHS.subscribe, PATHS.endAlert, PATHS.authorize],
]

function robots(base: string, mount: string): string {
  const paths = CLOSED.flatMap((path) =>
    isSpoken(path) ? LANGUAGES.map((language) => prefixOf(language) + path) : [path],
  )
  const closed = paths.map((path) => `Disallow: ${mount}${path}\n`).join('')
  return `User-agent: *\n${closed}\nSitemap: ${base}${SITEMAP_PATH}\n`
}

/**
 * The maximum number of addresses that a sitemap may have. https://www.sitemaps.org/protocol.html
 */
const ADDRESSES_MAX = 50_000

const OPEN = [
  ...['/', PATHS.corridors, PATHS.send, PATHS.providers, PATHS.method, PATHS.privacy],
  ...[PATHS.data, PATHS.ranking, PATHS.verify, PATHS.reference],
]

type Address = { readonly path: string; readonly changedMs?: number }

function sitemap(base: string, view: View): string {
  const addresses: Address[] = [
    ...OPEN.map((path) => ({ path })),
    ...livePairs(view).map((pair) => ({ path: pairPath(pair), changedMs: pair.newestMs })),
    ...view.catalogue.providers.map(({ id }) => ({ path: providerPath(id) })),
  ]
  const inLanguages = addresses.flatMap((address) =>
    LANGUAGES.filter((language) => language === 'en' || isSpoken(address.path)).map((language) => ({
      ...address,
      path: prefixOf(language) + address.path,
    })),
  )
  const entries = inLanguages.slice(0, ADDRESSES_MAX).map(({ path, changedMs }) => {
    const changed =
      changedMs === undefined ? '' : `<lastmod>${new Date(changedMs).toISOString()}</lastmod>`
    return `<url><loc>${Bun.escapeHTML(base + path)}</loc>${changed}</url>\n`
  })
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</urlset>\n`
  )
}
