import { LanguageChoice } from './language-choice.tsx'
import { Notice } from './notice.tsx'
import { PATHS } from './paths.ts'
import { linkTo, useWords } from './words/spoken.tsx'
import type { MessageKey } from './words/words.ts'

export type Credit = {
  readonly text: string
  readonly url: string | null
  /** The licence, if `text` does not name it. */
  readonly licence?: string
}

export type SignedInAs = { readonly email: string; readonly isAdmin: boolean }

type Entry = { readonly path: string; readonly name: MessageKey }

const NAVIGATION: readonly Entry[] = [
  { path: PATHS.board, name: 'frame.market' },
  { path: PATHS.corridors, name: 'corridors.title' },
  { path: PATHS.reference, name: 'frame.api' },
  { path: PATHS.developer, name: 'frame.developers' },
]

const OPERATOR: Entry = { path: PATHS.operator, name: 'frame.operator' }

type HeaderProps = {
  /** The path of the page, which the navigation marks. */
  readonly path: string
  readonly session?: SignedInAs | null | undefined
  readonly sample: string | null
  /** The path and the query of a page that is there in other languages too; else null. */
  readonly here: string | null
}

/** First line of every page of sample prices. */
export const SampleBanner = () => <p class="sample-banner">{useWords().say('sample.banner')}</p>

/** The head of every page: a way past it, the name, and the way to the other pages. */
export function Header({ path, session, sample, here }: HeaderProps) {
  const { say } = useWords()
  const entries = session?.isAdmin ? [...NAVIGATION, OPERATOR] : NAVIGATION
  return (
    <>
      <a class="skip-link" href="#content">
        {say('frame.skip')}
      </a>
      {sample !== null && <SampleBanner />}
      <header class="site-header">
        <div class="frame">
          <a class="brand" href={PATHS.board}>
            Corridor
          </a>
          <nav aria-label={say('frame.site')}>
            <ul>
              {entries.map((entry) => (
                <li key={entry.path}>
                  <a href={entry.path} aria-current={entry.path === path ? 'page' : undefined}>
                    {say(entry.name)}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {here !== null && <LanguageChoice here={here} />}
        </div>
      </header>
    </>
  )
}

type FooterProps = {
  readonly credits: readonly Credit[]
  /** Notice of a demonstration about its data; null for real data. */
  readonly sample: string | null
}

/** The foot of every page: the data, its owners, and how numbers are calculated. */
export function Footer({ credits, sample }: FooterProps) {
  const { language, say, rich } = useWords()
  return (
    <footer class="site-footer">
      <div class="frame">
        {sample && (
          <Notice kind="plain">
            {language === 'en' ? sentence(sample) : say('sample.notice')}
          </Notice>
        )}
        {credits.length > 0 && (
          <>
            <h2>{say('frame.sources')}</h2>
            <Credits credits={credits} />
          </>
        )}
        <p>
          {rich('frame.footer', {
            method: linkTo(PATHS.method),
            countries: linkTo(PATHS.send),
            providers: linkTo(PATHS.providers),
            data: linkTo(PATHS.data),
            api: linkTo(PATHS.reference),
            guide: linkTo('/llms.txt'),
            verify: linkTo(PATHS.verify),
            privacy: linkTo(PATHS.privacy),
          })}
        </p>
      </div>
    </footer>
  )
}

/** Sources with the words that their publishers require, which are in English. */
const Credits = ({ credits }: Pick<FooterProps, 'credits'>) => (
  <ul lang="en" dir="ltr">
    {credits.map(({ text, url }) => (
      <li key={text}>{url ? <a href={url}>{text}</a> : text}</li>
    ))}
  </ul>
)

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
