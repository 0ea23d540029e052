import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { coded, codingFor, codingHeader } from '~/http/coding.ts'
import type { Frame } from '~/http/docs/reference-page.ts'
import { Tokened } from '~/portal/member/token-form.tsx'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from '~/portal/picture/size.ts'
import { MANIFEST_PATH } from '~/portal/site/manifest.ts'
import { pagePath } from '~/portal/words/asked.ts'
import { LANGUAGES, prefixOf } from '~/portal/words/language.ts'
import { Speaking } from '~/portal/words/spoken.tsx'
import { ENGLISH, type Words } from '~/portal/words/words.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { AssetPaths, Assets } from './assets.ts'
import type { CookiePrefix } from './cookies.ts'
import { type Credit, Footer, Header, SampleBanner, type SignedInAs } from './frame.tsx'
import { isSpoken } from './paths.ts'
import { FRAMED_HEADERS, SECURITY_HEADERS } from './security-headers.ts'

export type PageDeps = {
  readonly assets: Assets
  /** The path below which people find the service; empty at the root. */
  readonly mount: string
  readonly cookiePrefix: CookiePrefix
  readonly credits: readonly Credit[]
  /** Notice of a demonstration about its data; null for real data. */
  readonly sample: string | null
}

export type Page = {
  /** The words of a page in the reader's language; without them it is in English. */
  readonly words?: Words
  /** The title, unique among pages; the site's name is added. */
  readonly title: string
  /** The page's own path, which the navigation marks. */
  readonly path: string
  readonly body: ComponentChildren
  readonly description?: string | undefined
  /** Description of the page elsewhere; null for a page that search engines should not show. */
  readonly known?: Known | null
  readonly session?: SignedInAs | null | undefined
  /** The token that proves that a form was made for this session. */
  readonly formToken?: string
  /** Says whether the page is for one person, signed in or not: never cached, never compressed. */
  readonly isPrivate?: boolean
  /** Says whether other sites may frame the page: the body alone, without any script. */
  readonly isFramed?: boolean
  /** Names of further files in `client/`, without their ending. */
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
  const { words = ENGLISH } = page
  const shown = (
    <Tokened value={page.formToken ?? ''}>
      <Document {...{ deps, page, paths, words }} here={hereIn(request, deps)} />
    </Tokened>
  )
  const html = mounted(`<!doctype html>${rendered(words, shown)}`, deps.mount, words.prefix)
  const isPrivate = page.isPrivate || page.session
  const coding = isPrivate ? 'identity' : codingFor(request)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': isPrivate ? 'no-store' : 'no-cache',
    'content-language': words.language,
    vary: 'accept-encoding, accept-language, cookie',
    ...(page.isFramed ? FRAMED_HEADERS : SECURITY_HEADERS),
    ...codingHeader(coding),
    ...page.headers,
  }
  const bytes = new TextEncoder().encode(html)
  return new Response(streamedBody(coded(bytes, coding)), { status: page.status ?? 200, headers })
}

/** The path of the requested page, without its language, and its query. */
const hereIn = (request: Request, { mount }: PageDeps): string =>
  pagePath(request, mount) + new URL(request.url).search

const rendered = (words: Words, part: VNode): string =>
  renderToString(<Speaking value={words}>{part}</Speaking>)

function describedIn({ sample }: PageDeps, page: Page, { say }: Words): string {
  const description = page.description ?? say('site.description')
  return sample === null ? description : `${say('sample.banner')} ${description}`
}

/** Scripts of a page, after that of all pages; a framed page has none. */
const scriptsOf = ({ isFramed, scripts = [] }: Page): readonly string[] =>
  isFramed ? [] : ['site', ...scripts]

type DocumentProps = {
  readonly deps: PageDeps
  readonly page: Page
  readonly paths: AssetPaths
  readonly words: Words
  readonly here: string
}

function Document({ deps, page, paths, words, here }: DocumentProps) {
  const description = describedIn(deps, page, words)
  return (
    <html lang={words.language} dir={words.direction === 'rtl' ? 'rtl' : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={description} />
        <title>{`${page.title} · Corridor`}</title>
        {page.known === null && <meta name="robots" content="noindex" />}
        {page.known && (
          <KnownAs {...{ description, words }} title={page.title} known={page.known} />
        )}
        <Links paths={paths} style="site.css" />
        {!page.isFramed && <link rel="manifest" href={MANIFEST_PATH} />}
        {scriptsOf(page).map((name) => (
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
            <Header {...page} sample={deps.sample} here={page.words ? here : null} />
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

export async function siteFrame(deps: PageDeps, path: string): Promise<Frame> {
  const paths = await deps.assets.paths()
  const html = (part: VNode) => mounted(rendered(ENGLISH, part), deps.mount)
  return {
    head: html(<Links paths={paths} style="frame.css" />),
    header: html(<Header path={path} sample={deps.sample} here={null} />),
    footer: html(<Footer {...deps} />),
  }
}

const Links = ({ paths, style }: { paths: AssetPaths; style: string }) => (
  <>
    <link rel="stylesheet" href={paths(style)} />
    <link rel="icon" href={paths('icon.svg')} type="image/svg+xml" />
  </>
)

/** A picture of the page; its size in pixels if that is not the usual one. */
type Picture = {
  readonly url: string
  readonly alt: string
  readonly width?: number
  readonly height?: number
}

/** Description of the page for search engines and for messages with a link to it. */
type Known = {
  readonly base: string
  /** The one path of the page, whatever its query, without a language. */
  readonly path: string
  readonly picture: Picture | null
  /** Description of the page in the words of schema.org. */
  readonly facts?: object
}

type KnownProps = {
  readonly title: string
  readonly description: string
  readonly known: Known
  readonly words: Words
}

/** The address of the page, in each language it speaks, and what a message with it shows. */
function KnownAs({ title, description, known, words }: KnownProps) {
  const { base, path, picture, facts } = known
  const { language } = words
  const spoken = isSpoken(path) ? LANGUAGES : LANGUAGES.slice(0, 1)
  const url = `${base}${isSpoken(path) ? prefixOf(language) : ''}${path}`
  const card = { 'og:title': title, 'og:description': description, 'og:url': url }
  const shown = picture && {
    'og:image': picture.url,
    'og:image:width': picture.width ?? PICTURE_WIDTH,
    'og:image:height': picture.height ?? PICTURE_HEIGHT,
    'og:image:alt': picture.alt,
    'twitter:card': 'summary_large_image',
  }
  const site = { 'og:site_name': 'Corridor', 'og:type': 'website', 'og:locale': language }
  return (
    <>
      <link rel="canonical" href={url} />
      <link rel="alternate" hreflang="x-default" href={base + path} />
      {spoken.map((one) => (
        <link key={one} rel="alternate" hreflang={one} href={`${base}${prefixOf(one)}${path}`} />
      ))}
      {facts && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: JSON.stringify(facts).replaceAll('<', '\\u003c') }}
        />
      )}
      {Object.entries({ ...site, ...card, ...shown }).map(([name, content]) => (
        <meta key={name} {...{ property: name }} content={content?.toString()} />
      ))}
    </>
  )
}

/** Elements with an address in them, each with the attribute that holds it. */
const LEADS = { a: 'href', link: 'href', form: 'action', script: 'src', img: 'src' }

/** Attributes of `LEADS` that lead a reader to another page. */
const WAYS_ON = { a: LEADS.a, form: LEADS.form }

/**
 * The page with `mount` before every path of ours, and `prefix`, that of a language, before the
 * paths of pages that speak it; unchanged if both are empty.
 */
function mounted(html: string, mount: string, prefix = ''): string {
  if (mount === '' && prefix === '') return html
  const rewriter = new HTMLRewriter()
  for (const [tag, attribute] of Object.entries(mount === '' ? WAYS_ON : LEADS))
    rewriter.on(`${tag}[${attribute}^="/"]`, {
      element(element) {
        const path = element.getAttribute(attribute)!
        const isInLanguage = tag in WAYS_ON && isSpoken(path)
        element.setAttribute(attribute, `${mount}${isInLanguage ? prefix : ''}${path}`)
      },
    })
  return rewriter.transform(html)
}
