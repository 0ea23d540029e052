/** @jsxImportSource preact */

import type { ComponentChildren, JSX } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { SAMPLE_BANNER } from '~/domain/sample.ts'
import type { Frame } from '~/http/docs/reference-page.ts'
import { takesGzip } from '~/http/gzip.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { AssetPaths, Assets } from './assets.ts'
import { type Credit, Footer, Header, SampleBanner, type SignedInAs } from './frame.tsx'
import { mounted } from './mounted.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './picture/size.ts'
import { FRAMED_HEADERS, SECURITY_HEADERS } from './security-headers.ts'

export type PageDeps = {
  readonly assets: Assets
  /** The path below which people find the service; empty at the root. */
  readonly mount: string
  readonly credits: readonly Credit[]
  /** What a demonstration says about its data; null for real data. */
  readonly sample: string | null
}

export type Page = {
  /** The title, unique among pages; the site's name is added. */
  readonly title: string
  /** The page's own path, which the navigation marks. */
  readonly path: string
  readonly body: ComponentChildren
  readonly description?: string | undefined
  /** How the page is known elsewhere; null for a page that search engines should not show. */
  readonly known?: Known | null
  readonly session?: SignedInAs | null | undefined
  /** Whether the page is for one person, signed in or not: never cached, never compressed. */
  readonly isPrivate?: boolean
  /** Whether the page is made to be framed by other sites: the body alone, without any script. */
  readonly isFramed?: boolean
  /** Names of files in `client/`, without their ending. */
  readonly scripts?: readonly string[]
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** What search engines, and messages that hold a link to the page, are told. */
type Known = {
  /** The one address of the page, whatever its query. */
  readonly url: string
  readonly picture: { readonly url: string; readonly alt: string } | null
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
    ...(page.isFramed ? FRAMED_HEADERS : SECURITY_HEADERS),
    ...(isZipped && { 'content-encoding': 'gzip' }),
    ...page.headers,
  }
  const bytes = isZipped ? Bun.gzipSync(html) : html
  return new Response(streamedBody(bytes), { status: page.status ?? 200, headers })
}

const DESCRIPTION =
  'What each provider makes of your money on its way into, out of and across Africa, ' +
  'beside an independent mid-market rate.'

/** The description of a page, which says of sample prices what they are. */
const describedIn = ({ sample }: PageDeps, { description = DESCRIPTION }: Page): string =>
  sample === null ? description : `${SAMPLE_BANNER} ${description}`

function Document({ deps, page, paths }: { deps: PageDeps; page: Page; paths: AssetPaths }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={describedIn(deps, page)} />
        <title>{`${page.title} · Corridor`}</title>
        {page.known === null && <meta name="robots" content="noindex" />}
        {page.known && (
          <KnownAs title={page.title} description={describedIn(deps, page)} known={page.known} />
        )}
        <Links paths={paths} style="site.css" />
        {page.scripts?.map((name) => (
          <script key={name} type="module" src={paths(`${name}.js`)} />
        ))}
      </head>
      <body>
        {page.isFramed ? (
          <main class="framed">
            {deps.sample !== null && <SampleBanner />}
            {page.body}
          </main>
        ) : (
          <>
            <Header path={page.path} session={page.session} sample={deps.sample} />
            <main id="content" class="frame" tabIndex={-1}>
              {page.body}
            </main>
            <Footer {...deps} />
          </>
        )}
      </body>
    </html>
  )
}

type KnownProps = { readonly title: string; readonly description: string; readonly known: Known }

function KnownAs({ title, description, known: { url, picture } }: KnownProps) {
  const card = { 'og:title': title, 'og:description': description, 'og:url': url }
  const shown = picture && {
    'og:image': picture.url,
    'og:image:width': PICTURE_WIDTH,
    'og:image:height': PICTURE_HEIGHT,
    'og:image:alt': picture.alt,
    'twitter:card': 'summary_large_image',
  }
  const all = { 'og:site_name': 'Corridor', 'og:type': 'website', ...card, ...shown }
  return (
    <>
      <link rel="canonical" href={url} />
      {Object.entries(all).map(([name, content]) => (
        <meta key={name} {...{ property: name }} content={content?.toString()} />
      ))}
    </>
  )
}

/** The frame of every page, for a page that is made elsewhere. */
export async function siteFrame(deps: PageDeps, path: string): Promise<Frame> {
  const paths = await deps.assets.paths()
  const html = (part: JSX.Element) => mounted(renderToString(part), deps.mount)
  return {
    head: html(<Links paths={paths} style="frame.css" />),
    header: html(<Header path={path} sample={deps.sample} />),
    footer: html(<Footer {...deps} />),
  }
}

const Links = ({ paths, style }: { paths: AssetPaths; style: string }) => (
  <>
    <link rel="stylesheet" href={paths(style)} />
    <link rel="icon" href={paths('icon.svg')} type="image/svg+xml" />
  </>
)
