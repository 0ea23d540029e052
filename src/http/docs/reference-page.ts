import { createHash } from 'node:crypto'
import type { FileContent } from '~/http/static-file.ts'
import { DOCUMENT_VERSION } from '~/wire/openapi/document.ts'

export const DOCUMENT_PATH = '/openapi.json'
export const COLLECTION_PATH = '/postman.json'
export const GUIDE_PATH = '/llms.txt'
export const PAGE_PATH = '/docs'
export const ASSETS_PATH = `${PAGE_PATH}/assets`
/**
 * The document as the page reads it: without a public address its server is wherever the page is,
 * which a browser knows better than a service behind a proxy that keeps port and scheme to itself.
 */
export const PAGE_DOCUMENT_PATH = `${ASSETS_PATH}/openapi.json`

const SCRIPT = 'swagger-ui-bundle.js'
const STYLE = 'swagger-ui.css'

/** The files that the page loads, by name, with the type of each. */
export const ASSETS: Readonly<Record<string, string>> = {
  [SCRIPT]: 'text/javascript; charset=utf-8',
  [STYLE]: 'text/css; charset=utf-8',
}

/** The reference is dark if the reader's other pages are; its style knows how, by a class. */
const FOLLOW_SCHEME = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)
`

/**
 * Names the reference's fields and removes links inside buttons, for screen readers and keyboards.
 */
const NAME_CONTROLS = `
const all = (selector, change) => document.querySelectorAll(selector).forEach(change)
const name = () => {
  all('.opblock-summary-control a[href]', (link) => link.removeAttribute('href'))
  all('main main', (operations) => operations.setAttribute('role', 'group'))
  all('h3.opblock-tag', (heading) => heading.setAttribute('aria-level', '2'))
  all('pre.microlight', (example) => example.tabIndex = 0)
  all('select:not([aria-label])', (choice) => {
    const { paramName } = choice.closest('[data-param-name]')?.dataset ?? {}
    choice.ariaLabel = paramName ?? (choice.id === 'servers' ? 'Server' : 'Example')
  })
}
new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true })
`

const OUR_SCRIPT = FOLLOW_SCHEME + NAME_CONTROLS

/**
 * Files that the page shows, for programs; the reference itself would name the page's own document.
 */
const FILES = [
  [DOCUMENT_PATH, 'OpenAPI document'],
  [COLLECTION_PATH, 'Postman collection'],
  [GUIDE_PATH, 'Guide for agents'],
] as const

const LIGHT = 'html:not(.dark-mode) .swagger-ui'
const METHOD = '.opblock-summary-method'
/** Colours of the reference in a contrast of at least 4.5. */
const CONTRAST = `
.swagger-ui .info .title small, .swagger-ui .download-contents { background: #5b6270 }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #f09a9a !important }
.swagger-ui .btn.execute, ${LIGHT} .opblock.opblock-get ${METHOD} { background: #1a66b8 }
${LIGHT} .opblock.opblock-post ${METHOD} { background: #1b7a4b }
${LIGHT} .opblock.opblock-patch ${METHOD} { background: #0b7468 }
${LIGHT} .opblock.opblock-delete ${METHOD} { background: #c62222 }
${LIGHT} .info a { color: #1f5fb0 }
${LIGHT} .btn.authorize { color: #1b7a4b; border-color: currentColor }
${LIGHT} .btn.cancel { color: #c62222; border-color: currentColor }
${LIGHT} .parameter__in { color: #5a5f66 }`

const TABLES = '.swagger-ui :is(table.responses-table, table.parameters)'
const OUR_STYLE = `
html { color-scheme: light dark }
body { margin: 0; font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { min-height: 60vh }
main:focus { outline: none }
.guide { max-width: 72rem; margin: 0 auto; padding: 12px 20px; box-sizing: border-box }
.guide { white-space: pre-wrap; overflow-wrap: anywhere }
.files { max-width: 72rem; margin: 0 auto; padding: 12px clamp(1rem, 4vw, 2rem) 0 }
.files { box-sizing: border-box; font-size: 0.875rem }
.swagger-ui .info :is(hgroup.main a, .version-stamp) { display: none }
.swagger-ui .wrapper { max-width: 72rem; padding-inline: clamp(1rem, 4vw, 2rem) }
.dark-mode .swagger-ui table.headers td { color: #e4e6e6 }
@media (max-width: 40rem) {
  .guide, .files { padding-inline: 12px }
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui .opblock .opblock-summary-method { min-width: 52px; padding: 6px 0 }
  ${TABLES}, ${TABLES} > tbody, ${TABLES} > tbody > tr, ${TABLES} > tbody > tr > td {
    display: block; width: auto; padding-inline: 0
  }
  ${TABLES} > thead, ${TABLES} > tbody > tr > td.response-col_links,
  .view-line-link { display: none }
  .swagger-ui table.headers { display: block; overflow-x: auto }
}`

type Options = {
  /** The origin of the service in the document if that is not the page's own host. */
  readonly publicOrigin: string | null
  /** The path below which people find the service; empty at the root. */
  readonly mount: string
  /** The text to read if the reference does not load: without scripts. */
  readonly guide: string
  readonly frame: Frame
}

/** Frame of every page of the site, as HTML. */
export type Frame = {
  /** The style of the frame, and the icon. */
  readonly head: string
  readonly header: string
  readonly footer: string
}

/** The interactive reference as the plugin writes it, under a policy that lets it call us alone. */
export async function referencePage(options: Options): Promise<FileContent> {
  const { publicOrigin, mount } = options
  const { html, starter } = withOurs(await pluginPage(mount), options)
  const policy = [
    "default-src 'none'",
    `script-src 'self' '${hashOf(OUR_SCRIPT)}' '${hashOf(starter)}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...(publicOrigin ? [publicOrigin] : [])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
  return { bytes: html, type: 'text/html; charset=utf-8', headers }
}

/** The plugin's page with ours in its places, and its script. Throws unless each occurs once. */
function withOurs(written: string, { mount, guide, frame }: Options) {
  const files = FILES.map(([path, name]) => `<a href="${mount}${path}">${name}</a>`).join(' · ')
  const head = `${frame.head}
<style>${OUR_STYLE}${CONTRAST}</style>
<script>${OUR_SCRIPT}</script>
`
  const reference = `<pre class="guide">${Bun.escapeHTML(guide)}</pre>`
  const places: Record<string, (place: HTMLRewriterTypes.Element) => void> = {
    head: (place) => place.append(head, { html: true }),
    body(place) {
      const before = `<main id="content" tabindex="-1"><p class="files">${files}</p>`
      place.prepend(frame.header + before, { html: true })
      place.append(`</main>${frame.footer}`, { html: true })
    },
    '#swagger-ui': (place) => place.setInnerContent(reference, { html: true }),
    'script[src]': (place) => place.setAttribute('src', `${mount}${ASSETS_PATH}/${SCRIPT}`),
    'script:not([src])': () => {},
  }
  const found: string[] = []
  const rewriter = new HTMLRewriter()
  for (const [selector, fill] of Object.entries(places))
    rewriter.on(selector, {
      element(place) {
        found.push(selector)
        fill(place)
      },
    })
  const starter: string[] = []
  rewriter.on('script:not([src])', { text: ({ text }) => void starter.push(text) })
  const html = rewriter.transform(written)
  if (found.sort().join() !== Object.keys(places).sort().join())
    throw new Error(`the plugin writes another page: ${found}`)
  return { html, starter: starter.join('') }
}

/** The plugin's page, loaded when it is first opened and not at every start. */
async function pluginPage(mount: string): Promise<string> {
  const source: object = { url: `${mount}${PAGE_DOCUMENT_PATH}`, validatorUrl: null }
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: PAGE_PATH,
    theme: `${mount}${ASSETS_PATH}/${STYLE}`,
    autoDarkMode: false,
    documentation: {
      info: {
        title: 'Corridor: reference',
        version: DOCUMENT_VERSION,
        description: 'Currency rates and provider prices, corridor by corridor',
      },
    },
    swaggerOptions: {
      ...source,
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
    },
  })
  return (await plugin.handle(new Request(`http://localhost${PAGE_PATH}`))).text()
}

const hashOf = (script: string): string =>
  `sha256-${createHash('sha256').update(script).digest('base64')}`
