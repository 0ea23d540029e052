import { AHEAD_MS_MAX } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Window } from '~/domain/period.ts'
import type { Quote } from '~/domain/quote.ts'
import type { LoggedChange } from '~/memory/live/live.ts'
import { type ChangeStore, idsOf, type LogRow, windowOf } from './change-log.ts'
import type { Whole } from './whole.ts'

/** The log of changes, and the sources of the rows that it names. */
export type LoggedSources = {
  readonly changes: ChangeStore
  readonly quotes: {
    /** Quotes by their ids, withdrawn ones too; `window` spans their times, null if unknown. */
    byIds(ids: readonly number[], window: Window | null): Promise<readonly Quote[]>
  }
  readonly references: {
    byIds(ids: readonly number[]): Promise<readonly Reference[]>
  }
  /** Reader of whole commits, if a commit may be seen in parts. */
  readonly whole?: Pick<Whole, 'quotesOf'> | null
  readonly clock: { now(): number }
}

/** A row of the log with the rows that it names; a clock's time far ahead of ours means now. */
export async function changeOf(
  { references, clock }: Pick<LoggedSources, 'references' | 'clock'>,
  { position, kind, ids, withdrawn, catalogue, ...row }: LogRow,
  read: ReadRows,
): Promise<LoggedChange> {
  const nowMs = clock.now()
  const atMs = row.atMs > nowMs + AHEAD_MS_MAX ? nowMs : row.atMs
  const named = (ids: readonly number[] = []) => ids.flatMap((id) => read.quotes.get(id) ?? [])
  switch (kind) {
    case 'catalogue':
      return { position, kind, atMs, catalogue: catalogue! }
    case 'observations':
      return { position, kind, atMs, quotes: named(ids!), withdrawn: named(withdrawn) }
    case 'references':
      return { position, kind, atMs, references: await references.byIds(ids!) }
    default:
      return { position, kind, atMs }
  }
}

/** The maximum number of rows of the log that are read at once. */
export const ROWS_MAX = 500

export type ReadRows = {
  readonly quotes: ReadonlyMap<number, Quote>
  /** The positions of changes that cannot be seen whole: they are logged again when they can. */
  readonly aside: ReadonlySet<number>
}

export async function quotesOf(
  { quotes, whole }: Pick<LoggedSources, 'quotes' | 'whole'>,
  rows: readonly LogRow[],
): Promise<ReadRows> {
  const seen = whole ? [...(await whole.quotesOf(rows))] : []
  const gone = rows.flatMap(({ withdrawn = [] }) => withdrawn)
  const ids = whole ? gone : [...idsOf(rows, 'observations'), ...gone]
  const found = seen.flatMap(([, some]) => some ?? [])
  if (ids.length > 0)
    found.push(...(await quotes.byIds(ids, gone.length > 0 ? null : windowOf(rows))))
  return {
    quotes: new Map(found.map((quote) => [quote.id, quote])),
    aside: new Set(seen.flatMap(([position, some]) => (some ? [] : [position]))),
  }
}
