import type { Clock } from '~/clock.ts'
import { missedDays } from '~/domain/source/turn.ts'
import type { Memory } from '~/memory/memory.ts'
import { ageSeconds, type Family } from './families.ts'

/** State of the banks whose official rates are fetched, which all replicas share. */
export function sourceMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.sources
  return [
    {
      name: 'corridor_source_failing',
      help: '1 while the last attempt at a quote source, by any replica, failed',
      type: 'gauge',
      read: () => records().map(({ id, isFailing }) => [{ source: id }, isFailing ? 1 : 0]),
    },
    {
      name: 'corridor_source_missed_days',
      help: 'On how many days of publication a quote source has stated nothing since its newest',
      type: 'gauge',
      *read() {
        for (const record of records()) {
          const missed = missedDays(record, clock.now())
          if (missed !== null) yield [{ source: record.id }, missed]
        }
      },
    },
    {
      name: 'corridor_source_values_refused',
      help: 'Rates in the last answer of a quote source that were not believed',
      type: 'gauge',
      read: () => records().map(({ id, refused }) => [{ source: id }, refused.length]),
    },
  ]
}

/** State of the connectors, which all replicas share. */
export function connectorMetrics(memory: Memory, clock: Clock): Family[] {
  const records = () => memory.current.connectors
  return [
    {
      name: 'corridor_connector_failing',
      help: '1 while the last run of a connector, on any replica, failed',
      type: 'gauge',
      read: () => records().map(({ id, isFailing }) => [{ connector: id }, isFailing ? 1 : 0]),
    },
    {
      name: 'corridor_connector_success_age_seconds',
      help: 'How long ago a connector last ran without a fault',
      type: 'gauge',
      *read() {
        for (const { id, succeededMs } of records())
          if (succeededMs !== null) yield [{ connector: id }, ageSeconds(clock.now(), succeededMs)!]
      },
    },
    {
      name: 'corridor_connector_rows_refused',
      help: 'Rows that the last good run of a connector refused',
      type: 'gauge',
      read: () => records().map(({ id, refused }) => [{ connector: id }, refused]),
    },
  ]
}
