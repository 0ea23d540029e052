import type { Clock } from '~/clock.ts'
import { missedDays } from '~/domain/source/turn.ts'
import type { Memory } from '~/memory/memory.ts'
import { ageSeconds, type Family, gaugeOf } from './families.ts'

/** State of the banks whose official rates are fetched, which all replicas share. */
export function sourceMetrics(memory: Memory, clock: Clock): Family[] {
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
