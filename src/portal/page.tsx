/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { takesGzip } from '~/http/gzip.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { AssetPaths, Assets } from './assets.ts'
import { mounted } from './mounted.ts'
import { Notice } from './notice.tsx'
import { PATHS } from './paths.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** A source that has to be credited. */
export type Credit = { readonly text: string; readonly url: string | null }

export type PageDeps = {
  readonly assets: Assets
  /** The path below which people find the service; empty at the root. */
  readonly mount: string
  readonly credits: readonly Credit[]
  /** What a demonstration says about its data; null for real data. */
  readonly sample: string | null
}

/** The person who is signed in. */
type SignedInAs = { readonly email: string; readonly isAdmin: boolean }

export type Page = {
  /** The title, unique among pages; the site's name is added. */
  readonly title: string
  /** The page's own path, which the navigation marks. */
  readonly path: string
  readonly body: ComponentChildren
  readonly description?: string | undefined
  readonly session?: SignedInAs | null | undefined
  /** Whether the page is for one person, signed in or not: never cached, never compressed. */
  readonly isPrivate?: boolean
  /** Names of files in `client/`, without their ending. */
  readonly scripts?: readonly string[]
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The whole document as a reply, under the policy of every page.
 *
 * Only pages for anybody are compressed: the content of a page for one person must not be guessable
 * from its length (https://www.breachattack.com).
 */
export async function pageReply(deps: PageDeps, request: Request, page: Page): Promise<Response> {
  const paths = await deps.assets.paths()
  const document = `<!doctype html>${renderToString(<Document {...{ deps, page, paths }} />)}`
  const html = mounted(document, deps.mount)
  const isPrivate = page.isPrivate || page.session
  const isZipped = !isPrivate && takesGzip(request)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': isPrivate ? 'no-store' : 'no-cache',
    vary: 'accept-encoding, cookie',
    ...SECURITY_HEADERS,
    ...(isZipped && { 'content-encoding': 'gzip' }),
    ...page.headers,
  }
  const bytes = isZipped ? Bun.gzipSync(html) : html
  return new Response(streamedBody(bytes), { status: page.status ?? 200, headers })
}

const DESCRIPTION =
  'What each provider makes of your money on its way into, out of and across Africa, ' +
  'beside an independent mid-market rate.'

function Document({ deps, page, paths }: { deps: PageDeps; page: Page; paths: AssetPaths }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={page.description ?? DESCRIPTION} />
        <title>{`${page.title} · Corridor`}</title>
        <link rel="stylesheet" href={paths('site.css')} />
        <link rel="icon" href={paths('icon.svg')} type="image/svg+xml" />
        {page.scripts?.map((name) => (
          <script key={name} type="module" src={paths(`${name}.js`)} />
        ))}
      </head>
      <body>
        <a class="skip-link" href="#content">
          Skip to the content
        </a>
        <Header page={page} />
        <main id="content" class="frame" tabIndex={-1}>
          {page.body}
        </main>
        <Footer {...deps} />
      </body>
    </html>
  )
}

const NAVIGATION: readonly Entry[] = [
  { path: PATHS.board, text: 'Market' },
  { path: PATHS.corridors, text: 'Corridors' },
  { path: '/docs', text: 'API' },
  { path: PATHS.developer, text: 'Developers' },
]

const OPERATOR: Entry = { path: PATHS.operator, text: 'Operator' }

type Entry = { readonly path: string; readonly text: string }

function Header({ page }: { page: Page }) {
  return (
    <header class="site-header">
      <div class="frame">
        <a class="brand" href={PATHS.board}>
          Corridor
        </a>
        <nav aria-label="Site">
          <ul>
            {(page.session?.isAdmin ? [...NAVIGATION, OPERATOR] : NAVIGATION).map((entry) => (
              <Place key={entry.path} entry={entry} page={page} />
            ))}
          </ul>
        </nav>
      </div>
    </header>
  )
}

function Place({ entry, page }: { entry: Entry; page: Page }) {
  const current = entry.path === page.path ? 'page' : undefined
  return (
    <li>
      <a href={entry.path} aria-current={current}>
        {entry.text}
      </a>
    </li>
  )
}

function Footer({ credits, sample }: PageDeps) {
  return (
    <footer class="site-footer">
      <div class="frame">
        {sample && <Notice kind="plain">{sentence(sample)}</Notice>}
        {credits.length > 0 && (
          <>
            <h2>Whose data</h2>
            <ul>
              {credits.map(({ text, url }) => (
                <li key={text}>{url ? <a href={url}>{text}</a> : text}</li>
              ))}
            </ul>
          </>
        )}
        <p>
          Prices are what providers publish, shown for comparison; nobody is bound by them. The same
          data for programs: <a href="/docs">the API</a> and{' '}
          <a href="/llms.txt">a guide for agents</a>.
        </p>
      </div>
    </footer>
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
