import { costsOf } from '~/domain/offer/costs.ts'
import type { KnownDeps } from '~/http/known/past.ts'
import type { View } from '~/memory/view.ts'
import { proposedValue, SubscribeForm } from '~/portal/alert/subscribe-form.tsx'
import { chartSeries } from '~/portal/board/chart-series.ts'
import { QuestionForm } from '~/portal/board/form.tsx'
import { Prices } from '~/portal/board/prices.tsx'
import { Best } from '~/portal/board/summary.tsx'
import { Cite } from '~/portal/cite/cite.tsx'
import { knownPage } from '~/portal/cite/known-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { picturePath } from '~/portal/picture/pictures.ts'
import { pairNamed, pairPath, pairSlug, pairTitle } from '~/portal/place/pair.ts'
import type { Moved, PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { unknownPage } from '~/portal/unknown-page.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Conversions } from '~/service/convert.ts'
import type { HeldSeries, HeldSeriesDeps } from '~/service/held-series.ts'
import { pairConversions, pairOffers } from './conversions.ts'
import { costsFileHref } from './costs-file.ts'
import { CostHistory, CostsSection } from './costs-section.tsx'
import { filterParameters, UNASKED } from './filters.ts'
import { FiltersForm } from './filters-form.tsx'
import { pairValues, rateFacts, sendDescription, sendLead, sendTitle } from './known.ts'
import { More } from './more.tsx'
import { firstOfEach, inOrder, ORDERS } from './order.ts'
import { pairIndexRoute } from './pair-index.tsx'
import { forAmount, otherParameters, pairHref, pairParameters } from './path.ts'
import { type SendQuery, sendQuery } from './query.ts'

type SendDeps = PublicDeps &
  KnownDeps & {
    readonly past: HeldSeriesDeps
    readonly canSignUp: boolean
    /** Says whether an address is enough for an email alert. */
    readonly isMailed: boolean
  }

/** A page for each pair of countries, and the list of them. */
export const sendRoutes = (deps: SendDeps) => [
  knownPage(deps, PATHS.send, sendPage, `${PATHS.send}/:pair`),
  pairIndexRoute(deps),
]

async function sendPage(deps: SendDeps, ask: PublicAsk): Promise<Page | Moved> {
  const { view, url, words, nowMs } = ask
  const slug = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  const pair = pairNamed(decoded(slug))
  const query = pair && sendQuery({ words, view, pair, params: url.searchParams })
  if (!query) return unknownPage(words, PATHS.send)
  if (slug !== pairSlug(query.pair))
    return { to: pairPath(query.pair) + url.search, isForGood: true }
  const conversions = pairConversions(view, query)
  const base = deps.publicUrl ?? url.origin
  const picture = {
    url: base + picturePath(words, query.pair) + url.search,
    alt: sendLead(words, { conversions, view }) ?? sendTitle(words, query.pair),
  }
  const isEmpty = conversions === null || conversions.entries.length === 0
  const { from, to } = query.corridor
  const isPlotted = !isEmpty && from !== to
  const series = isPlotted ? await chartSeries(deps, ask, { from, to, period: '90d' }) : null
  return {
    title: sendTitle(words, query.pair),
    path: PATHS.send,
    description: sendDescription(words, { query, conversions, view }),
    known: isEmpty
      ? null
      : { base, path: pairPath(query.pair), picture, ...rateFacts(conversions) },
    status: query.goal === null ? 400 : 200,
    body: <Send {...{ view, nowMs, base, query, conversions, series, ...deps }} />,
  }
}

/** A decoded part of a path; unchanged if it cannot be decoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

type Props = {
  readonly view: View
  readonly nowMs: number
  readonly base: string
  readonly query: SendQuery
  /** Null if the query cannot be served, which its form explains. */
  readonly conversions: Conversions | null
  /** The past three months; null if not shown. */
  readonly series: HeldSeries | null
  readonly canSignUp: boolean
  readonly isMailed: boolean
}

function Send({ view, nowMs, base, query, conversions, series, ...can }: Props) {
  const { canSignUp, isMailed } = can
  const { pair, asked, fields } = query
  const words = useWords()
  const offers = pairOffers(view, query)
  const lead = sendLead(words, { conversions, view })
  return (
    <div class="stack">
      <div class="stack-tight">
        <h1>{pairTitle(words, pair)}</h1>
        {lead && <p class="lead lead-answer">{lead}</p>}
        <QuestionForm view={view} fields={fields} hidden={otherParameters(query)} />
      </div>
      {conversions && <Answer {...{ view, nowMs, query, conversions }} />}
      <FiltersForm
        action={pairPath(pair)}
        asked={asked}
        offers={offers}
        hidden={pairParameters({ ...query, asked: UNASKED })}
      />
      {conversions && <Detail {...{ view, nowMs, query, conversions }} />}
      {series && <CostHistory points={series.points} />}
      {isMailed && conversions && <TellMe {...{ query, conversions }} />}
      <More {...{ view, base, query, canSignUp }} />
      {conversions && (
        <Cite
          title={sendTitle(words, pair)}
          href={pairHref({ ...query, knownAt: null })}
          {...{ conversions, view, base }}
        />
      )}
    </div>
  )
}

type AnswerProps = Omit<Props, 'base' | 'conversions' | 'series' | 'canSignUp' | 'isMailed'> & {
  readonly conversions: Conversions
}

function Answer({ view, query, conversions }: AnswerProps) {
  const { words, say } = useWords()
  const { pair, corridor, asked } = query
  const from = view.catalogue.currency(corridor.from)!
  const to = view.catalogue.currency(corridor.to)!
  if (conversions.entries.length > 0)
    return (
      <div class="cards">
        <Best
          {...{ conversions, from, to, freshness: view.freshness }}
          offers={pairOffers(view, query)}
          isPair
          hrefOf={(amount) => pairHref(forAmount(query, amount))}
        />
      </div>
    )
  const isNarrowed = filterParameters(asked).length > 0 && pairOffers(view, query).length > 0
  const title = isNarrowed ? 'send.none-chosen' : 'send.none'
  return (
    <Notice kind="plain" title={say(title, pairValues(words, pair))}>
      {isNarrowed ? (
        <a href={pairHref({ ...query, asked: UNASKED })}>{say('send.see-all')}</a>
      ) : (
        <a href={PATHS.send}>{say('send.see-countries')}</a>
      )}
    </Notice>
  )
}

/** Every price, and what the pair costs by them. */
function Detail({ view, nowMs, query, conversions }: AnswerProps) {
  const { pair, corridor } = query
  const from = view.catalogue.currency(corridor.from)!
  const to = view.catalogue.currency(corridor.to)!
  const { amount } = conversions
  const shown = listed(view, query, conversions)
  return (
    <>
      {conversions.entries.length > 0 && (
        <div class="stack-tight">
          <OrderLinks query={query} />
          <Prices {...{ from, to, nowMs }} conversions={shown} isPair />
          <Every query={query} count={conversions.entries.length} />
        </div>
      )}
      {amount !== null && (
        <CostsSection
          costs={costsOf(view.offers(from.code, to.code), {
            sourceCountry: pair.source.code,
            targetCountry: pair.target.code,
            amount,
          })}
          pair={pair}
          csvHref={costsFileHref(query, amount)}
          {...{ amount, from }}
        />
      )}
    </>
  )
}

/** Emails about the pair, for an amount that can be watched: what arrives of it, month by month. */
function TellMe({ query, conversions }: Pick<AnswerProps, 'query' | 'conversions'>) {
  const { say } = useWords()
  const { pair, corridor } = query
  const { amount, bestCurrent } = conversions
  if (amount === null || corridor.from === corridor.to) return null
  const texts = { what: 'above', value: proposedValue(bestCurrent?.net ?? null), email: '' }
  return (
    <section class="stack-tight" aria-labelledby="tell-title">
      <h2 id="tell-title">{say('board.tell-me')}</h2>
      <SubscribeForm {...{ pair, corridor, amount, texts }} />
    </section>
  )
}

const ENTRIES_MAX = 200

/** The prices that the page lists, in the requested order: by speed each provider's fastest. */
function listed(view: View, query: SendQuery, conversions: Conversions): Conversions {
  const { order, isEvery } = query
  const isFastest = order === 'speed' && !isEvery
  const all = isFastest ? pairConversions(view, { ...query, isEvery: true }) : conversions
  const ordered = inOrder(all?.entries ?? [], order)
  const entries = isFastest ? firstOfEach(ordered) : ordered
  return { ...conversions, entries: entries.slice(0, ENTRIES_MAX) }
}

/** The way to every offer, and back to one of each provider. */
function Every({ query, count }: { query: SendQuery; count: number }) {
  const { say } = useWords()
  return (
    <p class="small">
      {count > ENTRIES_MAX && `${say('send.first', { shown: ENTRIES_MAX, count })} `}
      <a href={pairHref({ ...query, isEvery: !query.isEvery })}>
        {say(query.isEvery ? 'send.only-best' : 'send.every')}
      </a>
    </p>
  )
}

/** The orders of a pair's prices, as links that retain the rest of the query. */
function OrderLinks({ query }: { query: SendQuery }) {
  const { say } = useWords()
  return (
    <nav aria-labelledby="order-title">
      <span id="order-title" class="muted small">
        {say('order.title')}
      </span>
      <ul class="tabs">
        {ORDERS.map((order) => (
          <li key={order}>
            <a
              href={pairHref({ ...query, order })}
              aria-current={order === query.order ? 'true' : undefined}
            >
              {say(`order.${order}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
