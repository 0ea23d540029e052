import { corridorKey, type StoredCorridor } from '~/domain/corridor.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import type { Memory, Publication } from '~/memory/memory.ts'

/** Sources of everything that the log of changes reports. */
export type LoggedLoads = {
  readonly catalogue: {
    /**
     * Every currency and provider, inactive ones included, in no particular order, and the
     * providers' activity, all read at one time.
     */
    load(): Promise<Catalogue>
  }
  readonly quotes: {
    /**
     * The quotes in force at each of `boundariesMs(nowMs)`, each once, in no particular order; of
     * all corridors, if it does not matter that only some are requested.
     */
    live(nowMs: number, corridors: LoadAsk['corridors']): Promise<readonly Quote[]>
    /** The corridors that the last `live` could not read, if it may lack some. */
    missing?(): ReadonlySet<string>
    withdrawnAmong(ids: readonly number[]): Promise<readonly Quote[]>
  }
  readonly references: DaySource & {
    /** The references in force at the same times. */
    live(nowMs: number): Promise<readonly Reference[]>
  }
}

export type Loaded = Publication & { readonly catalogue: Catalogue }

const NONE: ReadonlySet<string> = new Set()

/** The time of a load, and the corridors whose quotes are loaded; null for all. */
type LoadAsk = { readonly nowMs: number; readonly corridors: readonly StoredCorridor[] | null }

/** Loads everything live, and the withdrawn quotes among those in memory. */
export async function load(
  { catalogue, quotes, references }: LoggedLoads,
  memory: Memory,
  { nowMs, corridors }: LoadAsk,
): Promise<Loaded> {
  const names = corridors && new Set(corridors.map(corridorKey))
  const { current } = memory
  const held = [...current.quotes.allQuotes()].filter(
    (one) => !names || names.has(corridorKey(one)),
  )
  const [entries, [live, away], withdrawn, said] = await Promise.all([
    catalogue.load(),
    quotes.live(nowMs, corridors).then((found) => [found, quotes.missing?.() ?? NONE] as const),
    held.length > 0 ? quotes.withdrawnAmong(held.map(({ id }) => id)) : [],
    references.live(nowMs),
  ])
  const missing = names ? (current.unloaded ?? NONE).difference(names).union(away) : away
  return { catalogue: entries, quotes: live, withdrawn, missing, references: said }
}

/** The destination of loaded data, and the times by which it is retained. */
type Loading = {
  readonly memory: Memory
  readonly references: DaySource
  readonly timesMs: readonly [number, ...number[]]
}

/**
 * Serves loaded data, and looks up the references of every day that memory needs then. Returns
 * whether memory lacked a quote or a reference.
 */
export async function publishLoaded(
  { memory, references, timesMs }: Loading,
  { references: said = [], ...loaded }: Publication,
): Promise<boolean> {
  const before = memory.current
  memory.publish({ references: said }, ...timesMs)
  const hadMissed = memory.current.references !== before.references
  // A quote that comes while the days are looked up is held against what is published by then.
  memory.expect(loaded)
  const { probes } = memory.current.days
  const answers = probes.length > 0 ? await references.referencesAt(probes) : []
  const { serial } = memory.current.days
  memory.learn(answers)
  const hadMissedDays = memory.current.days.serial !== serial
  memory.publish({ ...loaded, isPastChanged: true }, ...timesMs)
  return hadMissed || hadMissedDays || memory.current.quotes !== before.quotes
}
