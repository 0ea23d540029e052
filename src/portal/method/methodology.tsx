import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { unknownPage } from '~/portal/unknown-page.tsx'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import { VERSIONS, type Version } from './versions.ts'

/** The address of the methodology before it had versions. */
const EARLIER_PATH = '/how-we-reckon'

/** The pages that explain how every number of the other pages is calculated, by version. */
export function methodologyRoutes(deps: PublicDeps) {
  const of = ({ url }: PublicAsk) => url.pathname.replace(/\/$/, '').split('/').at(-1)
  const page = (ask: PublicAsk) => {
    const version = VERSIONS.find(({ number }) => String(number) === of(ask))
    return version ? versionPage(deps, ask, version) : unknownPage(ask.words, PATHS.method)
  }
  const moved = { to: PATHS.method, isForGood: true }
  return [
    publicPage(deps, PATHS.method, (ask) => versionPage(deps, ask, VERSIONS[0])),
    publicPage(deps, PATHS.method, page, `${PATHS.method}/:version`),
    publicPage(deps, PATHS.method, () => moved, EARLIER_PATH),
  ]
}

function versionPage(deps: PublicDeps, { view, words }: PublicAsk, version: Version): Page {
  const { say, rich, language } = words
  const { number, date, Text } = version
  const isNewest = version === VERSIONS[0]
  const facts = { currencies: view.catalogue.currencies, credits: deps.pages.credits }
  return {
    title: isNewest ? say('method.title') : say('method.title-until', { number: number + 1 }),
    path: PATHS.method,
    description: say('method.description'),
    body: (
      <article class="stack prose">
        <div class="stack-tight">
          <h1>{say('method.title')}</h1>
          <p class="lead">{say('method.lead')}</p>
          <p>
            {say('method.version', { number, date })}
            {language !== 'en' && ` ${say('method.translated')}`}
            {!isNewest && <> {rich('method.superseded', { link: linkTo(PATHS.method) })}</>}
          </p>
        </div>
        <Text {...facts} ageLimits={deps.ageLimits} />
        <Versions />
      </article>
    ),
  }
}

function Versions() {
  const { say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="versions">
      <h2 id="versions">{say('method.versions')}</h2>
      <ul class="bullets">
        {VERSIONS.map(({ number, date }) => (
          <li key={number}>
            {rich('method.version-of', { number, date, link: linkTo(`${PATHS.method}/${number}`) })}
          </li>
        ))}
      </ul>
    </section>
  )
}
