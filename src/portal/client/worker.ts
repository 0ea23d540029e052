/// <reference lib="webworker" />

type Texts = {
  readonly dates: string
  /** Markup above a page that was seen before, with `{time}` for when. */
  readonly seen: string
  /** Title and content of a page that was not, with `{list}` for those that were. */
  readonly title: string
  readonly unseen: string
}

declare const self: ServiceWorkerGlobalScope & {
  /** Texts of each language, from `site/worker.tsx`. */
  readonly offline: Readonly<Record<string, Texts>>
}

type Store = { readonly name: string; readonly entriesMax: number }
type Seen = { readonly url: string; readonly atMs: number; readonly html: string }
type Kept = { readonly store: Store; readonly url: string; readonly response: Response }

const SCOPE = self.registration.scope
const PAGES: Store = { name: `${SCOPE} pages`, entriesMax: 30 }
const FILES: Store = { name: `${SCOPE} files`, entriesMax: 100 }
const FILE_KINDS = new Set(['style', 'script', 'image', 'manifest'])
/** Headers that describe a body as it came. */
const OF_BODY = ['content-encoding', 'content-length']

const MAIN = /(<main [^>]*>)(.*)<\/main>/s
const TITLE = /<title>(.*?)<\/title>/s
const LANGUAGE = /<html lang="(\w+)"/
const OWN_FILE = / (?:href|src)="([^"]*\/(?:assets|flags)\/[^"]+)"/g

self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()))
self.addEventListener('activate', (event) => event.waitUntil(begin()))
self.addEventListener('fetch', (event) => {
  const { method, url, destination } = event.request
  if (method !== 'GET' || !url.startsWith(SCOPE)) return
  if (destination === 'document') event.respondWith(page(event))
  else if (FILE_KINDS.has(destination)) event.respondWith(file(event))
})

/** Takes over pages that are open, and keeps them from the browser's own cache. */
async function begin(): Promise<void> {
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
  const open = await self.clients.matchAll({ type: 'window' })
  await Promise.allSettled(open.map(({ url }) => keepOpen(url)))
}

async function keepOpen(url: string): Promise<void> {
  const response = await fetch(url, { cache: 'force-cache' })
  if (!isForAnybody(response)) return
  const html = await response.clone().text()
  await keep({ store: PAGES, url, response })
  for (const [, path] of html.matchAll(OWN_FILE)) {
    const { href } = new URL(path!, url)
    const own = await fetch(href, { cache: 'force-cache' })
    if (own.ok) await keep({ store: FILES, url: href, response: own })
  }
}

/** The present page; without a connection what was seen of it, or which pages were seen. */
async function page(event: FetchEvent): Promise<Response> {
  const { url } = event.request
  try {
    const preloaded: Response | undefined = await event.preloadResponse
    const response = preloaded ?? (await fetch(event.request))
    if (isForAnybody(response))
      event.waitUntil(keep({ store: PAGES, url, response: response.clone() }))
    return response
  } catch {
    return (await seenPage(url)) ?? (await unseenPage(url)) ?? Response.error()
  }
}

async function file(event: FetchEvent): Promise<Response> {
  const { url } = event.request
  const kept = await (await caches.open(FILES.name)).match(url, { ignoreVary: true })
  if (kept?.headers.get('cache-control')?.includes('immutable')) return kept
  try {
    const response = await fetch(event.request)
    if (response.ok) event.waitUntil(keep({ store: FILES, url, response: response.clone() }))
    return response
  } catch {
    return kept ?? Response.error()
  }
}

/** Reports whether a reply is a page with its time, and for everybody: one for a person says so. */
function isForAnybody({ ok, redirected, headers }: Response): boolean {
  const rule = headers.get('cache-control') ?? 'no-store'
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  return ok && !redirected && isPage && headers.has('date') && !/no-store|private/.test(rule)
}

/** Keeps a reply, and lets go of the oldest. */
async function keep({ store, url, response }: Kept): Promise<void> {
  const cache = await caches.open(store.name)
  await cache.put(url, response)
  const requests = await cache.keys()
  const surplus = requests.slice(0, Math.max(0, requests.length - store.entriesMax))
  await Promise.all(surplus.map((one) => cache.delete(one, { ignoreVary: true })))
}

async function seenPage(url: string): Promise<Response | null> {
  const kept = await (await caches.open(PAGES.name)).match(url, { ignoreVary: true })
  if (!kept) return null
  const { html, atMs } = await seenIn(url, kept)
  const { seen, dates } = textsOf(html)
  const notice = seen.replace('{time}', timeText(atMs, dates))
  const shown = html.replace(MAIN, (_, start, content) => `${start}${notice}${content}</main>`)
  return new Response(shown, { headers: headersOf(kept) })
}

/** A page that lists those that were seen, in the frame of the last one in its language. */
async function unseenPage(url: string): Promise<Response | null> {
  const cache = await caches.open(PAGES.name)
  const requests = (await cache.keys()).toReversed()
  const kept = await Promise.all(requests.map((one) => cache.match(one, { ignoreVary: true })))
  const seen = await Promise.all(kept.map((one, i) => seenIn(requests[i]!.url, one!)))
  const language = url.slice(SCOPE.length).split('/')[0]
  const at = Math.max(
    0,
    seen.findIndex(({ html }) => languageOf(html) === language),
  )
  if (!seen[at]) return null
  const { html } = seen[at]
  const { title, unseen, dates } = textsOf(html)
  const list = seen.map((one) => itemOf(one, dates)).join('')
  const content = unseen.replace('{list}', () => list)
  const shown = html
    .replace(MAIN, (_, start) => `${start}${content}</main>`)
    .replace(TITLE, `<title>${title}</title>`)
  return new Response(shown, { status: 503, headers: headersOf(kept[at]!) })
}

const seenIn = async (url: string, kept: Response): Promise<Seen> => ({
  url,
  atMs: Date.parse(kept.headers.get('date')!),
  html: await kept.text(),
})

/** The headers of a cached page, its policy among them, for another body. */
function headersOf(kept: Response): Headers {
  const headers = new Headers(kept.headers)
  for (const name of OF_BODY) headers.delete(name)
  return headers
}

const languageOf = (html: string): string => LANGUAGE.exec(html)?.[1] ?? 'en'

const textsOf = (html: string): Texts => self.offline[languageOf(html)]!

function itemOf({ url, atMs, html }: Seen, dates: string): string {
  const title = TITLE.exec(html)?.[1]?.replace(/ · Corridor$/, '') ?? url
  const href = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const time = timeText(atMs, dates)
  return `<li><a href="${href}">${title}</a> <span class="muted">${time}</span></li>`
}

const timeText = (ms: number, dates: string): string => {
  const format = new Intl.DateTimeFormat(dates, {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
  })
  return `${format.format(ms)} UTC`
}

export {}
