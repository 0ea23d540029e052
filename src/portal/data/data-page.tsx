import type { FileDeps } from '~/http/file/making.ts'
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
import { dayText as dateText, quarterName } from '~/service/file/period.ts'
import { FirstObservation, type Settled, settledDays } from './observed.ts'
import { lastingHref, PRICES_PATH } from './price-file.ts'
import { countryOptions, rankingHref } from './query.ts'

/** The page for those who write: what data there is, whose it is and how to cite it. */
export function dataRoute(deps: PublicDeps & FileDeps) {
  const first = new FirstObservation(deps.files)
  return publicPage(deps, PATHS.data, async (ask) =>
    dataPage(ask, deps, settledDays(await first.at(ask.nowMs), ask.nowMs)),
  )
}

const ALL = { of: 'pairs', order: 'highest', source: null, target: null } as const

function dataPage(ask: PublicAsk, { pages, publicUrl }: PublicDeps, settled: Settled | null): Page {
  const { view, url, words } = ask
  const { say } = words
  const base = publicUrl ?? url.origin
  return {
    title: say('data.title'),
    path: PATHS.data,
    description: say('data.lead'),
    known: {
      ...{ base, path: PATHS.data, picture: null },
      facts: datasetFacts({ base, words, settled }),
    },
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('data.title')}</h1>
          <p class="lead">{say('data.lead')}</p>
        </div>
        <Files view={view} settled={settled} />
        <Licences credits={pages.credits} />
        <Citation view={view} base={base} settled={settled} />
      </div>
    ),
  }
}

type Described = Pick<Cited, 'base' | 'settled'> & Pick<PublicAsk, 'words'>

/** Description of the data for search engines. https://schema.org/Dataset */
function datasetFacts({ base, words: { say }, settled }: Described) {
  const rankings = (['pairs', 'providers'] as const).map((of) =>
    rankingHref({ ...ALL, of }, '.csv'),
  )
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    ...{ name: say('data.title'), description: say('data.lead') },
    ...{ url: base + PATHS.data, isAccessibleForFree: true },
    license: `${base}${PATHS.data}#licences-title`,
    creator: { '@type': 'Organization', name: 'Corridor', url: `${base}/` },
    ...(settled && { dateModified: dateText(settled.lastDayMs) }),
    distribution: [...rankings, ...(settled ? [PRICES_PATH] : [])].map((path) => ({
      '@type': 'DataDownload',
      encodingFormat: 'text/csv',
      contentUrl: base + path,
    })),
  }
}

function Files({ view, settled }: { view: View; settled: Settled | null }) {
  const { say, rich, dayText } = useWords()
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
        {settled && (
          <li>
            <a href={PRICES_PATH}>{say('data.all', { day: dayText(settled.lastDayMs) })}</a>
          </li>
        )}
        <li>{rich('data.days', { link: linkTo(PATHS.reference) })}</li>
      </ul>
      <h3>{say('data.pair')}</h3>
      <PairForm view={view} />
      {settled && <QuarterForm {...settled} />}
    </section>
  )
}

function QuarterForm({ quarters }: Settled) {
  const { say } = useWords()
  return (
    <>
      <h3>{say('data.quarter')}</h3>
      <p>{say('data.quarter-why')}</p>
      <form class="form-row filter-form" action={PRICES_PATH} method="get">
        <Select
          name="quarter"
          label={say('data.quarter-label')}
          value={quarterName(quarters[0]!)}
          options={quarters.map((quarter) => {
            const [number, year] = [String(quarter.number), String(quarter.year)]
            return { value: quarterName(quarter), text: say('data.quarter-name', { number, year }) }
          })}
        />
        <button type="submit" class="button button-quiet">
          {say('data.get')}
        </button>
      </form>
    </>
  )
}

function PairForm({ view }: { view: View }) {
  const { words, say } = useWords()
  const pairs = countryPairs(view)
  if (pairs.length === 0) return <p>{say('prices.none')}</p>
  const [first] = pairs
  return (
    <form class="form-row filter-form" action={COSTS_PATH} method="get">
      <Select
        name="source_country"
        label={say('ranking.source')}
        value={first!.sourceCountry}
        options={countryOptions(words, view, 'sourceCountry')}
      />
      <Select
        name="target_country"
        label={say('ranking.target')}
        value={first!.targetCountry}
        options={countryOptions(words, view, 'targetCountry')}
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

type Cited = { readonly view: View; readonly base: string; readonly settled: Settled | null }

/** A citation with its day and an address whose content stays; without one, of the present. */
function Citation({ view: { freshness }, base, settled }: Cited) {
  const { language, say, dayText, momentText } = useWords()
  const { cutoffMs, isSample } = freshness
  const citation = say('data.citation', {
    time: settled ? dayText(settled.lastDayMs) : momentText(cutoffMs),
    url: settled
      ? base + lastingHref(dateText(settled.lastDayMs))
      : base + prefixOf(language) + PATHS.data,
  })
  return (
    <section class="stack-tight" aria-labelledby="cite-title">
      <h2 id="cite-title">{say('data.cite')}</h2>
      <CopyBox
        id="citation"
        label={say('data.cite')}
        text={isSample ? `${citation} ${say('sample.banner')}` : citation}
        isProse
      />
      {settled && <Permanent base={base} {...settled} />}
    </section>
  )
}

function Permanent({ base, lastDayMs }: Settled & { readonly base: string }) {
  const { say, dayText } = useWords()
  return (
    <>
      <p>{say('data.permanent', { day: dayText(lastDayMs) })}</p>
      <CopyBox
        id="permanent"
        label={say('data.address')}
        text={base + lastingHref(dateText(lastDayMs))}
      />
    </>
  )
}
