import type { Reference } from '~/domain/mid.ts'
import type { Window } from '~/domain/period.ts'
import type { Quote } from '~/domain/quote.ts'
import { type DaySource, publishWithDays } from '~/memory/day-publication.ts'
import type { RecentQuotes } from '~/memory/live/recent-quotes.ts'
import type { Memory } from '~/memory/memory.ts'
import {
  type ChangeStore,
  idsOf,
  isUnnamed,
  type LogEnd,
  type LogRow,
  windowOf,
} from './change-log.ts'
import type { Whole } from './whole.ts'

/** The log of changes, and where what it names is read. */
export type LoggedSources = {
  readonly changes: ChangeStore
  readonly quotes: {
    /**
     * Quotes by their ids, withdrawn ones too; `window` is where their times lie, null if it is
     * not known.
     */
    byIds(ids: readonly number[], window: Window | null): Promise<readonly Quote[]>
  }
  readonly references: DaySource & {
    byIds(ids: readonly number[]): Promise<readonly Reference[]>
  }
  readonly recent: RecentQuotes
  /** Reader of whole commits, if a commit may be seen in parts. */
  readonly whole?: Pick<Whole, 'quotesOf'> | null
  readonly clock: { now(): number }
}

/** The maximum number of rows of the log that are read at once. */
export const ROWS_MAX = 500

/** Rows that the log names, read. */
export type ReadRows = {
  readonly quotes: ReadonlyMap<number, Quote>
  /** The positions of those that cannot be seen whole: they are logged again when they can. */
  readonly aside: ReadonlySet<number>
}

const NONE: ReadonlySet<number> = new Set()

const withdrawnIds = ({ withdrawn = [] }: LogRow): readonly number[] => withdrawn

/** The quotes of rows by id: those that were served lately, and the others of the database. */
export async function quotesOf(
  { recent, quotes, whole }: Pick<LoggedSources, 'recent' | 'quotes' | 'whole'>,
  rows: readonly LogRow[],
): Promise<ReadRows> {
  const ids = [...idsOf(rows, 'observations'), ...rows.flatMap(withdrawnIds)]
  const found = recent.take(ids)
  if (whole) {
    const seen = [...(await whole.quotesOf(rows))]
    const all = seen.flatMap(([, some]) => some ?? [])
    const aside = new Set(seen.flatMap(([position, some]) => (some ? [] : [position])))
    const gone = rows.flatMap(withdrawnIds)
    if (gone.length > 0) all.push(...(await quotes.byIds(gone, null)))
    return { quotes: new Map(all.map((quote) => [quote.id, quote])), aside }
  }
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0)
    for (const quote of await quotes.byIds(missing, windowOf(rows))) found.set(quote.id, quote)
  return { quotes: found, aside: NONE }
}

/**
 * Adds to a memory what was logged from a mark to an end; answers false if the log does not name
 * all of it.
 */
export async function addLogged(
  sources: LoggedSources,
  { memory, mark, end }: { memory: Memory; mark: number; end: LogEnd },
): Promise<boolean> {
  const { changes, references, clock } = sources
  const days = { memory, days: references, clock }
  for (let position = mark; position < end.position; ) {
    const rows = await changes.from(position, ROWS_MAX)
    if (position > 0 && rows[0]?.position !== position) return false
    const news = rows.filter((row) => row.position > position && row.position <= end.position)
    const { quotes, aside } = await quotesOf(sources, news)
    if (news.some((row) => isUnnamed(row) && !aside.has(row.position))) return false
    const ofReferences = idsOf(news, 'references')
    const newest = news.findLast(({ kind }) => kind === 'catalogue')?.catalogue
    await publishWithDays(days, {
      quotes: [...quotes.values()],
      withdrawn: news.flatMap(withdrawnIds).flatMap((id) => quotes.get(id) ?? []),
      references: ofReferences.length > 0 ? await references.byIds(ofReferences) : [],
      ...(newest && { catalogue: newest }),
    })
    position = news.at(-1)?.position ?? end.position
  }
  return true
}
