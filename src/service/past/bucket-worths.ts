import type { Window } from '~/domain/period.ts'
import type { Range } from '~/domain/price/suspect.ts'
import { bucketEndMs, bucketStartsMs, type Interval, type Worth } from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { referenceSources } from '~/service/snapshot.ts'

/** Value of a dollar at a bucket's end, and its range in the bucket. */
export type BucketWorth = Worth & Range

export type WorthStore = {
  /** Last value of a dollar before each of ascending `momentsMs`; null before its history. */
  worthsBefore(currency: string, momentsMs: readonly number[]): Promise<readonly (Worth | null)[]>
  /** Range of a dollar's values from each of `momentsMs` to before the next; null if none was. */
  worthRanges(currency: string, momentsMs: readonly number[]): Promise<readonly (Range | null)[]>
}

type WorthDeps = { readonly store: WorthStore; readonly windows: WindowCache }

/** Roughly how many bytes a worth takes in memory. */
const WORTH_BYTES = 64

/** Buckets of one currency; the last one ends with the window or at `reachMs`. */
type WorthsAsk = Window & {
  readonly leg: string
  readonly interval: Interval
  /** The time from which on nothing is visible. */
  readonly reachMs: number
}

/**
 * Value of a dollar in each bucket, shared by every corridor with this leg; null before the leg's
 * history begins. Without a limit for suspect prices the values in a bucket are left out.
 */
export function worthsOf(
  deps: WorthDeps,
  { limits }: View,
  { leg, interval, fromMs, beforeMs, reachMs }: WorthsAsk,
): Promise<readonly (BucketWorth | null)[]> {
  const window = { fromMs, beforeMs }
  const endsMs = bucketStartsMs(window, interval).map((startMs) =>
    Math.min(bucketEndMs(startMs, interval), reachMs),
  )
  const lastMs = endsMs.at(-1)!
  return deps.windows.answer({
    key: `worth ${leg} ${interval} ${fromMs} ${lastMs}`,
    sources: referenceSources([leg], lastMs),
    async ask() {
      const worths = await deps.store.worthsBefore(leg, [fromMs, ...endsMs])
      const ranges =
        limits.quoteSuspectPct == null
          ? []
          : await deps.store.worthRanges(leg, [...bucketStartsMs(window, interval), lastMs])
      return endsMs.map((_, i) => bucketWorth(worths[i], worths[i + 1], ranges[i]))
    },
    bytesOf: (values) => values.length * WORTH_BYTES,
  })
}

/** A bucket's worth by what it was before it, what it is at its end and what was said in it. */
function bucketWorth(
  before: Worth | null | undefined,
  end: Worth | null | undefined,
  range: Range | null | undefined,
): BucketWorth | null {
  if (!end) return null
  const { perUsd: last } = end
  const { least, most } = range ?? { least: last, most: last }
  const { perUsd: first } = before ?? { perUsd: least }
  return { ...end, least: Math.min(first, least), most: Math.max(first, most) }
}
