import { type Static, Type } from '@sinclair/typebox'
import { FEED_FAULTS } from '~/domain/feed/feed.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { LATE_DAYS, missedDays } from '~/domain/source/turn.ts'
import { Instant, namedRecord, nullable, words } from '../fields.ts'
import { iso } from '../present.ts'

export const QuoteSourceState = namedRecord('QuoteSourceState', {
  name: Type.String({ description: 'The name under which it is configured.' }),
  provider_id: Type.String(),
  newest: nullable(Instant),
  missed_days: nullable.integer({
    description:
      'Days of publication without a recorded rate: gaps in the ten days before its newest ' +
      'day, and every day since; holidays count. Null before the first fetch.',
  }),
  is_late: Type.Boolean({ description: `Whether it has missed ${LATE_DAYS} days or more.` }),
  currencies: Type.Integer({ description: 'Number of currencies in its last response.' }),
  last_success: nullable(Instant),
  is_failing: Type.Boolean({ description: 'Whether its last fetch failed.' }),
  fault: nullable(words(FEED_FAULTS)),
  reason: nullable.string({ description: "The reason, to be read after the bank's name." }),
  refused: Type.Array(Type.String(), {
    description: "What was rejected of its last response, to be read after the bank's name.",
  }),
})

/** A bank as `/status` and the command line show it. */
export function presentSource(
  record: SourceRecord,
  nowMs: number,
): Static<typeof QuoteSourceState> {
  const { id, providerId, newestMs, currencies, succeededMs, isFailing } = record
  const missed = missedDays(record, nowMs)
  return {
    name: id,
    provider_id: providerId,
    newest: newestMs === null ? null : iso(newestMs),
    missed_days: missed,
    is_late: missed !== null && missed >= LATE_DAYS,
    currencies,
    last_success: succeededMs === null ? null : iso(succeededMs),
    is_failing: isFailing,
    fault: isFailing ? record.fault : null,
    reason: isFailing ? record.message : null,
    refused: [...record.refused],
  }
}
