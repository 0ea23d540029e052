/** @jsxImportSource preact */
import { DAY_MS } from '~/domain/duration.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { BASE_PATH } from '~/http/path.ts'
import type { Route } from '~/http/route.ts'
import type { View } from '~/memory/view.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Field, Select } from '~/portal/form.tsx'
import type { Credit } from '~/portal/frame.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { COSTS_PATH } from '~/portal/send/costs-file.ts'
import { prefixOf } from '~/portal/words/language.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import { countryPairs } from '~/service/country/pairs.ts'
import { rankingHref } from './query.ts'

/** The page for those who write: what data there is, whose it is and how to cite it. */
export const dataRoutes = (deps: PublicDeps): Route[] => [
  {
    method: 'GET',
    path: PATHS.data,
    handle: publicPage(deps, PATHS.data, (ask) => dataPage(ask, deps)),
  },
]

const ALL = { of: 'pairs', order: 'highest', source: null, target: null } as const

function dataPage(ask: PublicAsk, { pages, publicUrl }: PublicDeps): Page {
  const { view, url, words } = ask
  const { say } = words
  const base = publicUrl ?? url.origin
  return {
    title: say('data.title'),
    path: PATHS.data,
    description: say('data.lead'),
    known: {
      ...{ base, path: PATHS.data, picture: null },
      facts: datasetFacts({ base, name: say('data.title'), description: say('data.lead') }),
    },
    scripts: ['copy'],
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('data.title')}</h1>
          <p class="lead">{say('data.lead')}</p>
        </div>
        <Files view={view} />
        <Licences credits={pages.credits} />
        <Citation view={view} base={base} />
      </div>
    ),
  }
}

type Described = { readonly base: string; readonly name: string; readonly description: string }

/** Description of the data for search engines. https://schema.org/Dataset */
const datasetFacts = ({ base, name, description }: Described) => ({
  '@context': 'https://schema.org',
  '@type': 'Dataset',
  ...{ name, description, url: base + PATHS.data, isAccessibleForFree: true },
  distribution: (['pairs', 'providers'] as const).map((of) => ({
    '@type': 'DataDownload',
    encodingFormat: 'text/csv',
    contentUrl: base + rankingHref({ ...ALL, of }, '.csv'),
  })),
})

/** Downloads, as files and as charts. */
function Files({ view }: { view: View }) {
  const { say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="files-title">
      <h2 id="files-title">{say('data.files')}</h2>
      <ul class="bullets">
        <li>
          <a href={rankingHref(ALL, '.csv')}>{say('data.pairs')}</a>
        </li>
        <li>
          <a href={rankingHref({ ...ALL, of: 'providers' }, '.csv')}>{say('data.providers')}</a>
        </li>
        <li>
          <a href={PATHS.ranking}>{say('data.ranking')}</a>
        </li>
        <li>{rich('data.days', { link: linkTo(PATHS.reference) })}</li>
      </ul>
      <h3>{say('data.pair')}</h3>
      <PairForm view={view} />
    </section>
  )
}

/** The file of every offer between two countries. */
function PairForm({ view }: { view: View }) {
  const { say, countryName, locale } = useWords()
  const pairs = countryPairs(view)
  const options = (codes: readonly string[]) =>
    [...new Set(codes)]
      .flatMap((code) => COUNTRIES.get(code) ?? [])
      .map((country) => ({ value: country.code, text: countryName(country) }))
      .sort((a, b) => a.text.localeCompare(b.text, locale))
  if (pairs.length === 0) return <p>{say('prices.none')}</p>
  const [first] = pairs
  return (
    <form class="form-row filter-form" action={COSTS_PATH} method="get">
      <Select
        name="source_country"
        label={say('ranking.source')}
        value={first!.sourceCountry}
        options={options(pairs.map(({ sourceCountry }) => sourceCountry))}
      />
      <Select
        name="target_country"
        label={say('ranking.target')}
        value={first!.targetCountry}
        options={options(pairs.map(({ targetCountry }) => targetCountry))}
      />
      <Field
        name="amount"
        label={say('data.amount')}
        value="200"
        isRequired
        input={{ inputMode: 'decimal', maxLength: 12 }}
      />
      <button type="submit" class="button button-quiet">
        {say('data.get')}
      </button>
    </form>
  )
}

/** The sources with the licences under which their data may be used. */
function Licences({ credits }: { credits: readonly Credit[] }) {
  const { say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="licences-title">
      <h2 id="licences-title">{say('data.licences')}</h2>
      <p>{say(credits.length > 0 ? 'data.licences-why' : 'data.licences-none')}</p>
      {credits.length > 0 && (
        <ul class="bullets long" lang="en" dir="ltr">
          {credits.map(({ text, url, licence }) => (
            <li key={text}>
              {url ? <a href={url}>{text}</a> : text}
              {licence && ` (${licence})`}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A citation with its time, and an address whose content stays. */
function Citation({ view: { freshness }, base }: { view: View; base: string }) {
  const { language, say, momentText, dayText } = useWords()
  const { cutoffMs, nowMs, isSample } = freshness
  const lastDayMs = nowMs - DAY_MS - ((nowMs - DAY_MS) % DAY_MS)
  const day = new Date(lastDayMs).toISOString().slice(0, 10)
  const citation = say('data.citation', {
    time: momentText(cutoffMs),
    url: base + prefixOf(language) + PATHS.data,
  })
  return (
    <section class="stack-tight" aria-labelledby="cite-title">
      <h2 id="cite-title">{say('data.cite')}</h2>
      <CopyBox
        id="citation"
        label={say('data.cite')}
        text={isSample ? `${citation} ${say('sample.banner')}` : citation}
      />
      <p>{say('data.permanent', { day: dayText(lastDayMs) })}</p>
      <CopyBox
        id="permanent"
        label={say('data.address')}
        text={`${base}${BASE_PATH}/files/${day}.csv.gz`}
      />
    </section>
  )
}
