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
  missed_days: nullable(
    Type.Integer({
      description:
        'Days of publication without a recorded rate: gaps before its newest day, for ten days, ' +
        'and every day since; holidays count. ' +
        'Null before it is asked.',
    }),
  ),
  is_late: Type.Boolean({ description: `Whether it has missed ${LATE_DAYS} days or more.` }),
  currencies: Type.Integer({ description: 'How many currencies it stated last.' }),
  last_success: nullable(Instant),
  is_failing: Type.Boolean({ description: 'Whether it failed when it was asked last.' }),
  fault: nullable(words(FEED_FAULTS)),
  reason: nullable(Type.String({ description: 'The reason, continuing the name of the bank.' })),
  refused: Type.Array(Type.String(), {
    description: 'What was not believed of its last answer, continuing the name of the bank.',
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
