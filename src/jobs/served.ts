import { type DaySource, publishWithDays } from '~/memory/day-publication.ts'
import type { LoggedChange } from '~/memory/live/live.ts'
import type { RecentQuotes } from '~/memory/live/recent-quotes.ts'
import type { Memory } from '~/memory/memory.ts'
import type { LogRow } from './change-log.ts'

type Served = { readonly recent: RecentQuotes; readonly memory: Memory }

/** Says whether what is served holds all that a row of observations is about. */
export const isServed = (
  { recent, memory }: Served,
  { kind, ids, withdrawn = [] }: LogRow,
): boolean =>
  kind === 'observations' &&
  ids !== null &&
  recent.hasAll(ids) &&
  memory.current.quotes.hasWithdrawn(withdrawn)

type ServeDeps = {
  readonly memory: Memory
  readonly references: DaySource
  readonly clock: { now(): number }
}

/** Serves the rows of a commit, unless something else has brought them already. */
export async function serve(
  { memory, references: days, clock }: ServeDeps,
  { quotes = [], withdrawn = [], references = [] }: Partial<LoggedChange>,
): Promise<void> {
  const { current } = memory
  const known = current.quotes.without(withdrawn).with(quotes, clock.now())
  const isKnown = current.references.with(references, clock.now()) === current.references
  if (known === current.quotes && isKnown) return
  await publishWithDays({ memory, days, clock }, { quotes, withdrawn, references })
}
