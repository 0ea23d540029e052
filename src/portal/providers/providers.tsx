import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { Provider } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { Fee } from '~/portal/board/cost.tsx'
import { plainWords, standingText, typeText } from '~/portal/board/kinds.ts'
import { boardHref } from '~/portal/board/path.ts'
import { SuspectTag } from '~/portal/board/who.tsx'
import { presentPage } from '~/portal/cite/known-page.tsx'
import { PriceAge } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { FlagLinks } from '~/portal/place/flag-links.tsx'
import { livePairsOf } from '~/portal/place/live-pairs.ts'
import type { PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { CardTable, type Column } from '~/portal/row-table.tsx'
import { unknownPage } from '~/portal/unknown-page.tsx'
import { linkTo, Name, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { isSupported } from '~/service/supported.ts'
import { Logo } from './logo.tsx'
import { providerPath } from './path.ts'
import { Website } from './website.tsx'

export const providersRoutes = (deps: PublicDeps) => [
  presentPage(deps, PATHS.providers, (_, ask) => listPage(ask)),
  presentPage(
    deps,
    PATHS.providers,
    (_, { view, url, words, nowMs }) => {
      const provider = providerAt(url.pathname, view.catalogue.providers)
      if (!provider) return unknownPage(words, PATHS.providers)
      return providerPage({ view, provider, words, nowMs, base: deps.publicUrl ?? url.origin })
    },
    `${PATHS.providers}/:id`,
  ),
]

const providerAt = (path: string, providers: readonly Provider[]): Provider | undefined =>
  providers.find(({ id }) => path.endsWith(providerPath(id)))

const PROVIDERS_MAX = 2000

function listPage({ view, words }: PublicAsk): Page {
  const { say } = words
  const { providers } = view.catalogue
  return {
    title: say('providers.title'),
    path: PATHS.providers,
    description: say('providers.lead'),
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('providers.title')}</h1>
          <p class="lead">{say('providers.lead')}</p>
        </div>
        {providers.length === 0 && <Notice kind="plain" title={say('providers.none')} />}
        <ul class="flag-links">
          {providers.slice(0, PROVIDERS_MAX).map((provider) => (
            <li key={provider.id} class="with-logo">
              <Logo provider={provider} />
              <span>
                <a href={providerPath(provider.id)}>
                  <Name>{provider.name}</Name>
                </a>
                <span class="aside">{typeText(words, provider.providerType)}</span>
              </span>
            </li>
          ))}
        </ul>
        {providers.length > PROVIDERS_MAX && (
          <p class="muted small">
            {say('list.first', { shown: PROVIDERS_MAX, count: providers.length })}
          </p>
        )}
      </div>
    ),
  }
}

/** The maximum number of corridors and pairs of countries of one provider that are listed. */
const ROWS_MAX = 200

type Props = {
  readonly view: View
  readonly provider: Provider
  readonly words: Words
  readonly nowMs: number
}

/** Offers of one provider: where, at what rate, and how fresh. */
function providerPage(props: Props & { readonly base: string }): Page {
  const { view, provider, words, base } = props
  const { say } = words
  const corridors = corridorsOf(view, provider)
  return {
    title: provider.name,
    path: PATHS.providers,
    description: say('provider.description', { provider: provider.name, count: corridors.length }),
    known: corridors.length > 0 ? { base, path: providerPath(provider.id), picture: null } : null,
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1 class="with-logo">
            <Logo provider={provider} /> <Name>{provider.name}</Name>
          </h1>
          <p class="lead">
            {[typeText(words, provider.providerType), say(`provider-kind.${provider.rateType}`)]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <About provider={provider} />
        </div>
        <Corridors {...props} corridors={corridors} />
        <Countries {...props} />
        <p>
          <a href={PATHS.providers}>{say('provider.all')}</a>
        </p>
      </div>
    ),
  }
}

function About({ provider }: Pick<Props, 'provider'>) {
  const { words, say } = useWords()
  const isEnglish = words.language === 'en'
  const { region, transferTime, paymentMethods, websiteUrl } = provider
  const ways = paymentMethods?.map((method) => plainWords(words, method))
  const facts = [
    isEnglish && region && say('provider.works-in', { region }),
    isEnglish && transferTime && say('provider.takes', { time: transferTime }),
    ways?.length && say('provider.paid-by', { ways: ways.join(say('list.comma')) }),
  ].filter(Boolean)
  if (facts.length === 0 && websiteUrl === null) return null
  return (
    <ul class="links">
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
      {websiteUrl !== null && (
        <li>
          <Website provider={provider} />
        </li>
      )}
    </ul>
  )
}

/** The provider's best price in each of its corridors, by the corridors' codes. */
function corridorsOf(view: View, { id }: Provider): RankedQuote[] {
  const own: RankedQuote[] = []
  for (const book of view.generation.quotes.booksOf(id)) {
    if (!isSupported(view.catalogue, book, NO_FILTERS)) continue
    const found = view.viewOf(book).quotes.find(({ quote }) => quote.providerId === id)
    if (found) own.push(found)
  }
  return own.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const nameOf = ({ quote: { from, to } }: RankedQuote): string => `${from} ${to}`

type CorridorsProps = Props & { readonly corridors: readonly RankedQuote[] }

function Corridors({ view, provider, nowMs, corridors, words }: CorridorsProps) {
  const { say, rich } = words
  if (corridors.length === 0)
    return <Notice kind="plain" title={say('provider.none', { provider: provider.name })} />
  return (
    <section class="stack-tight" aria-labelledby="corridors-title">
      <h2 id="corridors-title">{say('provider.prices')}</h2>
      <CardTable
        headedBy="corridors-title"
        columns={corridorColumns(words, { view, nowMs })}
        rows={corridors.slice(0, ROWS_MAX)}
        keyOf={nameOf}
      />
      {corridors.length > ROWS_MAX && (
        <p class="muted small">
          {rich('provider.first', {
            shown: ROWS_MAX,
            count: corridors.length,
            link: linkTo(PATHS.corridors),
          })}
        </p>
      )}
    </section>
  )
}

function corridorColumns(
  { say }: Words,
  { view: { catalogue }, nowMs }: Pick<Props, 'view' | 'nowMs'>,
): Column<RankedQuote>[] {
  return [
    {
      head: say('corridors.corridor'),
      cell: ({ quote: { from, to } }) => (
        <a href={boardHref({ from, to })}>{say('pair.title', { source: from, target: to })}</a>
      ),
    },
    { head: say('table.rate'), class: 'number', cell: (price) => <Rate of={price} /> },
    {
      ...{ head: say('table.fee'), class: 'number' },
      cell: ({ quote }) => {
        const { from, to } = quote
        const currencies = { from: catalogue.currency(from)!, to: catalogue.currency(to)! }
        return <Fee quote={quote} currencies={currencies} />
      },
    },
    {
      ...{ head: say('table.seen'), class: 'number' },
      cell: ({ quote: { atMs }, isStale }) => <PriceAge ms={atMs} {...{ nowMs, isStale }} />,
    },
  ]
}

/** A rate, whether it is suspect, and its evidence if it was not observed. */
function Rate({ of: { quote, provider, suspect } }: { of: RankedQuote }) {
  const words = useWords()
  const standing = standingText(words, quote, provider)
  return (
    <>
      {words.rateText(quote.rate)} <SuspectTag suspect={suspect} />
      {standing && <span class="aside">{standing}</span>}
    </>
  )
}

/** The pages of the countries between which the provider sends money. */
function Countries({ view, provider, words: { say } }: Props) {
  const pairs = livePairsOf(view, provider.id).slice(0, ROWS_MAX)
  if (pairs.length === 0) return null
  return (
    <section class="stack-tight" aria-labelledby="countries-title">
      <h2 id="countries-title">{say('provider.countries')}</h2>
      <FlagLinks pairs={pairs} />
    </section>
  )
}
