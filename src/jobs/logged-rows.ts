import type { Reference } from '~/domain/mid.ts'
import type { Window } from '~/domain/period.ts'
import type { Catalogue } from '~/domain/provider.ts'
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

/** The log of changes, and where what it names is read. */
export type LoggedSources = {
  readonly changes: ChangeStore
  readonly quotes: {
    /** Quotes by their ids; `window` is where their times lie, null where it is not known. */
    byIds(ids: readonly number[], window: Window | null): Promise<readonly Quote[]>
  }
  readonly references: DaySource & {
    byIds(ids: readonly number[]): Promise<readonly Reference[]>
  }
  readonly catalogue: { load(): Promise<Catalogue> }
  readonly recent: RecentQuotes
  readonly clock: { now(): number }
}

/** How many rows of the log are read at once. */
export const ROWS_MAX = 500

/** The quotes of rows by id: those that were served lately, and the others of the database. */
export async function quotesOf(
  { recent, quotes }: Pick<LoggedSources, 'recent' | 'quotes'>,
  rows: readonly LogRow[],
): Promise<ReadonlyMap<number, Quote>> {
  const ids = idsOf(rows, 'observations')
  const found = recent.take(ids)
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0)
    for (const quote of await quotes.byIds(missing, windowOf(rows))) found.set(quote.id, quote)
  return found
}

/**
 * Adds to a memory what was logged from a mark to an end; answers false where the log does not name
 * all of it.
 */
export async function addLogged(
  sources: LoggedSources,
  { memory, mark, end }: { memory: Memory; mark: number; end: LogEnd },
): Promise<boolean> {
  const { changes, references, catalogue, clock } = sources
  const days = { memory, days: references, clock }
  for (let position = mark; position < end.position; ) {
    const rows = await changes.from(position, ROWS_MAX)
    if (position > 0 && rows[0]?.position !== position) return false
    const news = rows.filter((row) => row.position > position && row.position <= end.position)
    if (news.some(isUnnamed)) return false
    const ofReferences = idsOf(news, 'references')
    const isCatalogueNew = news.some(({ kind }) => kind === 'catalogue')
    await publishWithDays(days, {
      quotes: [...(await quotesOf(sources, news)).values()],
      references: ofReferences.length > 0 ? await references.byIds(ofReferences) : [],
      ...(isCatalogueNew && { catalogue: await catalogue.load() }),
    })
    position = news.at(-1)?.position ?? end.position
  }
  return true
}
