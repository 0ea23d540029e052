/** @jsxImportSource preact */
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { Provider } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { Fee } from '~/portal/board/cost.tsx'
import { KINDS, plainWords, typeText } from '~/portal/board/kinds.ts'
import { boardHref } from '~/portal/board/path.ts'
import { rateText } from '~/portal/format.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { FlagLinks } from '~/portal/place/flag-links.tsx'
import { livePairsOf } from '~/portal/place/live-pairs.ts'
import { PriceAge } from '~/portal/price-age.tsx'
import { isSupported } from '~/service/supported.ts'
import { Logo } from './logo.tsx'
import { providerPath } from './path.ts'
import { Website } from './website.tsx'

/** How many corridors and pairs of countries of one provider are listed. */
const ROWS_MAX = 200

type Props = { readonly view: View; readonly provider: Provider; readonly nowMs: number }

/** What one provider offers: where, at what rate, and how fresh that is. */
export function providerPage(props: Props & { readonly base: string }): Page {
  const { view, provider, base } = props
  const corridors = corridorsOf(view, provider)
  const kind = KINDS[provider.rateType].title.replace(/^For comparison: /, '').toLowerCase()
  return {
    title: provider.name,
    path: PATHS.providers,
    description:
      `Prices of ${provider.name} in ${countText(corridors.length, 'corridor')}, ` +
      'with fees and what the exchange rate costs.',
    known: corridors.length > 0 ? { base, path: providerPath(provider.id), picture: null } : null,
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1 class="with-logo">
            <Logo provider={provider} /> {provider.name}
          </h1>
          <p class="lead">
            {[typeText(provider.providerType), `${kind} prices`].filter(Boolean).join(' · ')}
          </p>
          <About provider={provider} />
        </div>
        <Corridors {...props} corridors={corridors} />
        <Countries {...props} />
        <p>
          <a href={PATHS.providers}>All providers</a>
        </p>
      </div>
    ),
  }
}

const countText = (count: number, noun: string): string =>
  count === 1 ? `one ${noun}` : `${count} ${noun}s`

/** What is known of the provider itself. */
function About({ provider }: Pick<Props, 'provider'>) {
  const { region, transferTime, paymentMethods, websiteUrl } = provider
  const facts = [
    ['Works in', region],
    ['Takes', transferTime],
    ['Is paid by', paymentMethods?.map(plainWords).join(', ')],
  ].filter(([, text]) => text)
  if (facts.length === 0 && websiteUrl === null) return null
  return (
    <ul class="links">
      {facts.map(([name, text]) => (
        <li key={name}>
          {name}: {text}
        </li>
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

function Corridors({ view, provider, nowMs, corridors }: CorridorsProps) {
  if (corridors.length === 0)
    return <Notice kind="plain" title={`No prices of ${provider.name} at the moment`} />
  return (
    <section class="stack-tight" aria-labelledby="corridors-title">
      <h2 id="corridors-title">Prices</h2>
      <div class="table-frame">
        <table class="table table-cards" aria-labelledby="corridors-title">
          <thead>
            <tr>
              <th scope="col">Corridor</th>
              <th scope="col" class="number">
                Rate
              </th>
              <th scope="col" class="number">
                Fee
              </th>
              <th scope="col" class="number">
                Seen
              </th>
            </tr>
          </thead>
          <tbody>
            {corridors.slice(0, ROWS_MAX).map((ranked) => (
              <Row key={nameOf(ranked)} {...{ view, ranked, nowMs }} />
            ))}
          </tbody>
        </table>
      </div>
      {corridors.length > ROWS_MAX && (
        <p class="muted small">
          The first {ROWS_MAX} of {corridors.length};{' '}
          <a href={PATHS.corridors}>see all corridors</a>.
        </p>
      )}
    </section>
  )
}

type RowProps = Pick<Props, 'view' | 'nowMs'> & { readonly ranked: RankedQuote }

function Row({ view: { catalogue }, ranked: { quote, isStale }, nowMs }: RowProps) {
  const { from, to, rate, atMs } = quote
  const currencies = { from: catalogue.currency(from)!, to: catalogue.currency(to)! }
  return (
    <tr>
      <th scope="row">
        <a href={boardHref({ from, to })}>
          {from} to {to}
        </a>
      </th>
      <td class="number" data-label="Rate">
        {rateText(rate)}
      </td>
      <td class="number" data-label="Fee">
        <Fee quote={quote} currencies={currencies} />
      </td>
      <td class="number" data-label="Seen">
        <PriceAge ms={atMs} nowMs={nowMs} isStale={isStale} />
      </td>
    </tr>
  )
}

/** The pages of the countries between which the provider sends money. */
function Countries({ view, provider }: Props) {
  const pairs = livePairsOf(view, provider.id).slice(0, ROWS_MAX)
  if (pairs.length === 0) return null
  return (
    <section class="stack-tight" aria-labelledby="countries-title">
      <h2 id="countries-title">Between countries</h2>
      <FlagLinks pairs={pairs} />
    </section>
  )
}
