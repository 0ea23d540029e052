import type { View } from '~/memory/view.ts'
import { presentPage } from '~/portal/cite/known-page.tsx'
import { Select } from '~/portal/form.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import type { PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
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

export const corridorsRoute = (deps: CorridorsDeps) =>
  presentPage(deps, PATHS.corridors, corridorsPage)

async function corridorsPage(deps: CorridorsDeps, ask: PublicAsk): Promise<Page> {
  const { view, url, words, nowMs } = ask
  const { say } = words
  const query = listQuery(url.searchParams)
  const isUnknown = query.currency !== null && !view.catalogue.currency(query.currency)
  const list = corridorList(view, isUnknown ? { ...query, currency: null } : query)
  const hasAny = liveCorridors(view).length > 0
  const trends = await trendsIn(deps, view, list)
  return {
    title: say('corridors.title'),
    path: PATHS.corridors,
    status: isUnknown ? 400 : 200,
    description: say('corridors.description'),
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('corridors.title')}</h1>
          <p class="lead">
            {say(query.currency === null || isUnknown ? 'corridors.lead' : 'corridors.lead-of', {
              count: list.count,
              currency: query.currency ?? '',
              time: words.clockText(view.freshness.cutoffMs),
            })}
          </p>
          <Filter view={view} query={query} isUnknown={isUnknown} />
        </div>
        <List {...{ list, query, hasAny, trends, nowMs }} />
      </div>
    ),
  }
}

/** The time that the list waits for its small charts before it leaves them out. */
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
  const { words, say } = useWords()
  const codes = quotedCodes(view)
  const named = codes.map((code) => ({
    value: code,
    text: `${code} · ${words.currencyName(view.catalogue.currency(code)!)}`,
  }))
  const chosen = isUnknown ? '' : (query.currency ?? '')
  const known = chosen !== '' && !codes.includes(chosen) ? [{ value: chosen, text: chosen }] : []
  return (
    <form class="form-row filter-form" action={PATHS.corridors} method="get">
      <Select
        name="currency"
        label={say('corridors.from-or-to')}
        value={chosen}
        options={[{ value: '', text: say('corridors.any') }, ...known, ...named]}
        isOptional
        error={isUnknown ? say('corridors.unknown', { currency: query.currency! }) : undefined}
      />
      <Select
        name="sort"
        label={say('corridors.order')}
        value={orderName(query)}
        options={orderOptions(words)}
      />
      <button type="submit" class="button button-quiet">
        {say('corridors.show')}
      </button>
    </form>
  )
}

type ListProps = {
  list: CorridorList
  query: ListQuery
  /** Says whether there is any corridor, shown or not. */
  hasAny: boolean
  trends: Trends | null
  nowMs: number
}

function List({ list, query, hasAny, trends, nowMs }: ListProps) {
  const { say } = useWords()
  if (list.count === 0)
    return (
      <Notice kind="plain" title={say('corridors.none')}>
        {hasAny ? (
          <a href={PATHS.corridors}>{say('corridors.see-all')}</a>
        ) : (
          say('corridors.no-price')
        )}
      </Notice>
    )
  return (
    <>
      {trends === null && (
        <Notice kind="warn" title={say('corridors.away')}>
          {say('corridors.away-why')}
        </Notice>
      )}
      <CorridorTable {...{ lines: list.lines, query, trends, nowMs }} />
      <Pages list={list} query={query} />
    </>
  )
}

function Pages({ list: { page, pages }, query }: { list: CorridorList; query: ListQuery }) {
  const { say } = useWords()
  if (pages === 1) return null
  return (
    <nav aria-label={say('corridors.pages')}>
      <ul class="tabs">
        {Array.from({ length: pages }, (_, i) => i + 1).map((nth) => (
          <li key={nth}>
            <a
              href={listHref({ ...query, page: nth })}
              aria-current={nth === page ? 'page' : undefined}
            >
              <span class="visually-hidden">{say('corridors.page')} </span>
              {nth}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
