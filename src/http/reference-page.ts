import { createHash } from 'node:crypto'
import { DOCUMENT_VERSION } from '~/wire/openapi.ts'
import type { Publication } from './published.ts'

export const DOCUMENT_PATH = '/openapi.json'
export const PAGE_PATH = '/docs'
export const ASSETS_PATH = `${PAGE_PATH}/assets`

const SCRIPT = 'swagger-ui-bundle.js'
const STYLE = 'swagger-ui.css'

/** What the page loads, by file name, with the type of each. */
export const ASSETS: Readonly<Record<string, string>> = {
  [SCRIPT]: 'text/javascript; charset=utf-8',
  [STYLE]: 'text/css; charset=utf-8',
}

/** The plugin links the script to a public host; the link is one line of its page. */
const LINKED_SCRIPT = /https:\/\/[^"]*\/swagger-ui-bundle\.js/

/**
 * The interactive reference as the plugin writes it, its script taken from ourselves, under a
 * policy that lets the page ask nobody but us.
 *
 * `publicOrigin` is where the document says the service is, when that is not the page's own host.
 */
export async function referencePage(publicOrigin: string | null): Promise<Publication> {
  const written = await pluginPage()
  const html = written.replace(LINKED_SCRIPT, `${ASSETS_PATH}/${SCRIPT}`)
  const [, inline] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? []
  if (html === written || inline === undefined) throw new Error('the plugin writes another page')
  const policy = [
    "default-src 'none'",
    `script-src 'self' '${hashOf(inline)}'`,
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

/** Loaded when somebody looks at the page, and not at every start. */
async function pluginPage(): Promise<string> {
  const source: object = { url: DOCUMENT_PATH, validatorUrl: null }
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: PAGE_PATH,
    theme: `${ASSETS_PATH}/${STYLE}`,
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
