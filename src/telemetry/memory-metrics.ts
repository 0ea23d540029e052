import type { Clock } from '~/clock.ts'
import type { Memory } from '~/memory/memory.ts'
import { ageSeconds, type Family, gauge, gaugeOf } from './families.ts'
import { connectorMetrics, sourceMetrics } from './source-metrics.ts'

/** Size and age of memory, and the last responses of the feeds behind it. */
export function memoryMetrics(memory: Memory, clock: Clock): Family[] {
  return [
    gaugeOf(['memory_entries', 'Entries of the indexes in memory'], () =>
      Object.entries(memorySizes(memory)).map(([index, size]) => [{ index }, size]),
    ),
    gauge(['memory_newest_quote_age_seconds', 'Age of the newest quote'], () =>
      ageSeconds(clock.now(), memory.current.quotes.lastUpdatedMs),
    ),
    gauge(['memory_newest_reference_age_seconds', 'Age of the newest USD reference'], () =>
      ageSeconds(clock.now(), memory.current.references.newest(Number.POSITIVE_INFINITY)?.atMs),
    ),
    ...feedMetrics(memory, clock),
    ...sourceMetrics(memory, clock),
    ...connectorMetrics(memory, clock),
  ]
}

/** Size of each index. */
export function memorySizes({ current }: Memory) {
  const { catalogue, quotes, references, keys } = current
  let corridors = 0
  let quoteCount = 0
  for (const book of quotes.allBooks()) {
    corridors++
    quoteCount += book.size
  }
  return {
    quotes: quoteCount,
    corridors,
    references: references.size,
    keys: keys.keyCount,
    currencies: catalogue.currencies.length,
    providers: catalogue.providers.length,
  }
}

/** State of the feeds that all replicas share. */
function feedMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.feeds.feeds
  return [
    gaugeOf(
      ['feed_failing', '1 while the last attempt at a reference feed, by any replica, failed'],
      () => records().map(({ id, isFailing }) => [{ feed: id }, isFailing ? 1 : 0]),
    ),
    gaugeOf(
      ['feed_age_seconds', 'Time since a reference feed last served any replica'],
      function* () {
        for (const { id, succeededMs } of records()) {
          const age = ageSeconds(clock.now(), succeededMs)
          if (age !== null) yield [{ feed: id }, age]
        }
      },
    ),
    gauge(
      ['feed_values_held_back', 'References that moved too far to be believed yet'],
      () => memory.current.feeds.held.length,
    ),
  ]
}
