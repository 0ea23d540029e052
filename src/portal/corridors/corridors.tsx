/** @jsxImportSource preact */
import type { Route } from '~/http/route.ts'
import type { View } from '~/memory/view.ts'
import { Select } from '~/portal/form.tsx'
import { clockText } from '~/portal/format.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { liveCorridors, quotedCodes } from '~/service/corridors.ts'
import { inTime } from '~/service/deadline.ts'
import type { SeriesDeps } from '~/service/series.ts'
import { trendsOf } from '~/service/trends.ts'
import {
  type CorridorList,
  corridorList,
  type ListQuery,
  listQuery,
  orderName,
  orderOptions,
} from './list.ts'
import { CorridorTable, listHref } from './table.tsx'

type CorridorsDeps = PublicDeps & { readonly past: SeriesDeps }

/** The list of every corridor that is quoted. */
export const corridorsRoutes = (deps: CorridorsDeps): Route[] => [
  {
    method: 'GET',
    path: PATHS.corridors,
    handle: publicPage(deps, PATHS.corridors, (ask) => corridorsPage(deps, ask)),
  },
]

async function corridorsPage(deps: CorridorsDeps, ask: PublicAsk): Promise<Page> {
  const { view, url, nowMs } = ask
  const query = listQuery(url.searchParams)
  const isUnknown = query.currency !== null && !view.catalogue.currency(query.currency)
  const list = corridorList(view, isUnknown ? { ...query, currency: null } : query)
  const hasAny = liveCorridors(view).length > 0
  const trends = await trendsIn(deps, view, list)
  return {
    title: 'Corridors',
    path: PATHS.corridors,
    status: isUnknown ? 400 : 200,
    description:
      'Every corridor with prices: the best rate, how many providers, and the last month.',
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>Corridors</h1>
          <p class="lead">
            {list.count === 1 ? 'One corridor' : `${list.count} corridors`} with prices
            {query.currency !== null && !isUnknown && ` from or to ${query.currency}`}, as of{' '}
            {clockText(view.freshness.cutoffMs)}.
          </p>
          <Filter view={view} query={query} isUnknown={isUnknown} />
        </div>
        <List {...{ list, query, hasAny, trends, nowMs }} />
      </div>
    ),
  }
}

/** How long the list waits for its small charts before it leaves them out. */
const TRENDS_WAIT_MS = 600

type Trends = Awaited<ReturnType<typeof trendsOf>>

async function trendsIn(
  { past, log }: CorridorsDeps,
  view: View,
  { lines }: CorridorList,
): Promise<Trends | null> {
  try {
    const trends = trendsOf(past, view, lines)
    return await inTime(trends, { msMax: TRENDS_WAIT_MS, message: 'trends took too long' })
  } catch (err) {
    log.warn({ err }, 'the corridors are shown without their trends')
    return null
  }
}

type FilterProps = { view: View; query: ListQuery; isUnknown: boolean }

function Filter({ view, query, isUnknown }: FilterProps) {
  const codes = quotedCodes(view)
  const named = codes.map((code) => ({
    value: code,
    text: `${code} · ${view.catalogue.currency(code)!.name}`,
  }))
  const chosen = isUnknown ? '' : (query.currency ?? '')
  const known = chosen !== '' && !codes.includes(chosen) ? [{ value: chosen, text: chosen }] : []
  return (
    <form class="form-row filter-form" action={PATHS.corridors} method="get">
      <Select
        name="currency"
        label="From or to"
        value={chosen}
        options={[{ value: '', text: 'Any currency' }, ...known, ...named]}
        isOptional
        error={isUnknown ? `${query.currency} is not a currency we know.` : undefined}
      />
      <Select name="sort" label="Order by" value={orderName(query)} options={orderOptions} />
      <button type="submit" class="button button-quiet">
        Show
      </button>
    </form>
  )
}

type ListProps = {
  list: CorridorList
  query: ListQuery
  /** Whether there is any corridor, shown or not. */
  hasAny: boolean
  trends: Trends | null
  nowMs: number
}

function List({ list, query, hasAny, trends, nowMs }: ListProps) {
  if (list.count === 0)
    return (
      <Notice kind="plain" title="No corridors here">
        {hasAny ? (
          <a href={PATHS.corridors}>See all corridors.</a>
        ) : (
          'No provider has given a price yet.'
        )}
      </Notice>
    )
  return (
    <>
      {trends === null && (
        <Notice kind="warn" title="The last 30 days are not available at the moment">
          The database with the history cannot be reached, or takes too long. Current prices are not
          affected.
        </Notice>
      )}
      <CorridorTable {...{ lines: list.lines, query, trends, nowMs }} />
      <Pages list={list} query={query} />
    </>
  )
}

function Pages({ list: { page, pages }, query }: { list: CorridorList; query: ListQuery }) {
  if (pages === 1) return null
  return (
    <nav aria-label="Pages">
      <ul class="tabs">
        {Array.from({ length: pages }, (_, i) => i + 1).map((nth) => (
          <li key={nth}>
            <a
              href={listHref({ ...query, page: nth })}
              aria-current={nth === page ? 'page' : undefined}
            >
              <span class="visually-hidden">Page </span>
              {nth}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
