import type { RecentQuotes } from '~/memory/live/recent-quotes.ts'
import type { Memory } from '~/memory/memory.ts'
import type { LogRow } from './change-log.ts'

type Served = { readonly recent: RecentQuotes; readonly memory: Memory }

/** Whether what is served holds all that a row of observations is about. */
export const isServed = (
  { recent, memory }: Served,
  { kind, ids, withdrawn = [] }: LogRow,
): boolean =>
  kind === 'observations' &&
  ids !== null &&
  recent.hasAll(ids) &&
  memory.current.quotes.hasWithdrawn(withdrawn)
