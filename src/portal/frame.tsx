/** @jsxImportSource preact */
import { SAMPLE_BANNER } from '~/domain/sample.ts'
import { Notice } from './notice.tsx'
import { PATHS } from './paths.ts'

/** A source that has to be credited. */
export type Credit = {
  readonly text: string
  readonly url: string | null
  /** The licence, where `text` does not name it. */
  readonly licence?: string
}

/** The person who is signed in. */
export type SignedInAs = { readonly email: string; readonly isAdmin: boolean }

type Entry = { readonly path: string; readonly text: string }

const NAVIGATION: readonly Entry[] = [
  { path: PATHS.board, text: 'Market' },
  { path: PATHS.corridors, text: 'Corridors' },
  { path: PATHS.reference, text: 'API' },
  { path: PATHS.developer, text: 'Developers' },
]

const OPERATOR: Entry = { path: PATHS.operator, text: 'Operator' }

type HeaderProps = {
  /** The path of the page, which the navigation marks. */
  readonly path: string
  readonly session?: SignedInAs | null | undefined
  readonly sample: string | null
}

/** What every page of sample prices begins with. */
export const SampleBanner = () => <p class="sample-banner">{SAMPLE_BANNER}</p>

/** The head of every page: a way past it, the name, and the way to the other pages. */
export function Header({ path, session, sample }: HeaderProps) {
  const entries = session?.isAdmin ? [...NAVIGATION, OPERATOR] : NAVIGATION
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      {sample !== null && <SampleBanner />}
      <header class="site-header">
        <div class="frame">
          <a class="brand" href={PATHS.board}>
            Corridor
          </a>
          <nav aria-label="Site">
            <ul>
              {entries.map((entry) => (
                <li key={entry.path}>
                  <a href={entry.path} aria-current={entry.path === path ? 'page' : undefined}>
                    {entry.text}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </div>
      </header>
    </>
  )
}

type FooterProps = {
  readonly credits: readonly Credit[]
  /** What a demonstration says about its data; null for real data. */
  readonly sample: string | null
}

/** The foot of every page: what the data is and whose, and how figures come about. */
export function Footer({ credits, sample }: FooterProps) {
  return (
    <footer class="site-footer">
      <div class="frame">
        {sample && <Notice kind="plain">{sentence(sample)}</Notice>}
        {credits.length > 0 && (
          <>
            <h2>Where the data comes from</h2>
            <ul>
              {credits.map(({ text, url }) => (
                <li key={text}>{url ? <a href={url}>{text}</a> : text}</li>
              ))}
            </ul>
          </>
        )}
        <p>
          Prices are what providers publish, for comparison only: check with the provider before you
          send. <a href={PATHS.method}>How we calculate</a> explains every figure. More:{' '}
          <a href={PATHS.send}>all countries</a>, <a href={PATHS.providers}>all providers</a>. For
          programs there are <a href={PATHS.reference}>the API</a> and{' '}
          <a href="/llms.txt">a guide for agents</a>. <a href={PATHS.privacy}>Privacy</a>
        </p>
      </div>
    </footer>
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
