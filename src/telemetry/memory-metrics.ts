import type { Clock } from '~/clock.ts'
import { missedDays } from '~/domain/source/turn.ts'
import type { Memory } from '~/memory/memory.ts'
import { ageSeconds, type Family, gauge, gaugeOf, type Sample } from './families.ts'

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

type Records<T> = () => readonly (T & { readonly id: string })[]

/** Returns a reader of a value of each record, under its id; without a sample where it is null. */
const byId =
  <T>(label: string, records: Records<T>, of: (record: T) => number | null) =>
  (): Sample<number>[] =>
    records().flatMap((record) => {
      const value = of(record)
      return value === null ? [] : [[{ [label]: record.id }, value]]
    })

const failing = ({ isFailing }: { readonly isFailing: boolean }): number => (isFailing ? 1 : 0)

/** State of the feeds that all replicas share. */
function feedMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.feeds.feeds
  return [
    gaugeOf(
      ['feed_failing', '1 while the last attempt at a reference feed, by any replica, failed'],
      byId('feed', records, failing),
    ),
    gaugeOf(
      ['feed_age_seconds', 'Time since a reference feed last served any replica'],
      byId('feed', records, ({ succeededMs }) => ageSeconds(clock.now(), succeededMs)),
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
      byId('source', records, failing),
    ),
    gaugeOf(
      [
        'source_missed_days',
        'On how many days of publication a quote source has stated nothing since its newest',
      ],
      byId('source', records, (record) => missedDays(record, clock.now())),
    ),
    gaugeOf(
      [
        'source_values_refused',
        'Rates in the last response of a quote source that were not believed',
      ],
      byId('source', records, ({ refused }) => refused.length),
    ),
  ]
}

/** State of the connectors, which all replicas share. */
export function connectorMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.connectors
  return [
    gaugeOf(
      ['connector_failing', '1 while the last run of a connector, on any replica, failed'],
      byId('connector', records, failing),
    ),
    gaugeOf(
      ['connector_success_age_seconds', 'How long ago a connector last ran without an error'],
      byId('connector', records, ({ succeededMs }) => ageSeconds(clock.now(), succeededMs)),
    ),
    gaugeOf(
      ['connector_rows_refused', 'Rows that the last good run of a connector refused'],
      byId('connector', records, ({ refused }) => refused),
    ),
  ]
}
