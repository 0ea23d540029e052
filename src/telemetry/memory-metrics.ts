import type { Clock } from '~/clock.ts'
import { missedDays } from '~/domain/source/turn.ts'
import type { Memory } from '~/memory/memory.ts'
import { ageSeconds, type Family, gauge, gaugeOf } from './families.ts'

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

/** State of the banks whose official rates are fetched, which all replicas share. */
function sourceMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.sources
  return [
    gaugeOf(
      ['source_failing', '1 while the last attempt at a quote source, by any replica, failed'],
      () => records().map(({ id, isFailing }) => [{ source: id }, isFailing ? 1 : 0]),
    ),
    gaugeOf(
      [
        'source_missed_days',
        'On how many days of publication a quote source has stated nothing since its newest',
      ],
      function* () {
        for (const record of records()) {
          const missed = missedDays(record, clock.now())
          if (missed !== null) yield [{ source: record.id }, missed]
        }
      },
    ),
    gaugeOf(
      [
        'source_values_refused',
        'Rates in the last answer of a quote source that were not believed',
      ],
      () => records().map(({ id, refused }) => [{ source: id }, refused.length]),
    ),
  ]
}

/** State of the connectors, which all replicas share. */
export function connectorMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.connectors
  return [
    gaugeOf(
      ['connector_failing', '1 while the last run of a connector, on any replica, failed'],
      () => records().map(({ id, isFailing }) => [{ connector: id }, isFailing ? 1 : 0]),
    ),
    gaugeOf(
      ['connector_success_age_seconds', 'How long ago a connector last ran without a fault'],
      function* () {
        for (const { id, succeededMs } of records())
          if (succeededMs !== null) yield [{ connector: id }, ageSeconds(clock.now(), succeededMs)!]
      },
    ),
    gaugeOf(['connector_rows_refused', 'Rows that the last good run of a connector refused'], () =>
      records().map(({ id, refused }) => [{ connector: id }, refused]),
    ),
  ]
}
