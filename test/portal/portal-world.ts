import type { Provider } from '~/domain/provider.ts'
import type { Log } from '~/log.ts'
import type { HeldStore } from '~/service/held-series.ts'
import type { SeriesStore } from '~/service/series.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { emptyPast } from '../support/past.ts'
import { ORIGIN, type Reply, replyOf, type World } from '../support/world.ts'

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

export const HOSTILE_NAME = `<script>alert("1")</script>&'`

/** The usual catalogue, in which `retail-b` has other fields. */
export const catalogueWith = (more: Partial<Provider>) => ({
  currencies: CURRENCIES,
  providers: PROVIDERS.map((known) => (known.id === 'retail-b' ? { ...known, ...more } : known)),
})

export async function visit(
  world: World,
  path: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return replyOf(await world.app.handle(new Request(`${ORIGIN}${path}`, { headers })))
}

/** The text as shown to a reader, tags and entities resolved. */
export const textOf = (html: string): string =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<(td|th|tr|p|li|h\d|option)\b/g, ' <$1')
    .replaceAll('</summary>', ' ')
    .replaceAll('<span class="aside">', ' ')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

/** The rows of every table, cell by cell, as strings. */
export const rowsOf = (html: string): string[][] =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => textOf(cell!).trim()),
  )

/** A past with some of its results fixed. */
export function pastWith(store: Partial<SeriesStore & HeldStore>) {
  const { store: empty, windows } = emptyPast()
  return { windows, store: { ...empty, ...store } }
}
