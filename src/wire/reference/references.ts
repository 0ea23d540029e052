import { type Static, Type } from '@sinclair/typebox'
import { UNUSED_REASONS } from '~/domain/feed/unused.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { roundAmount } from '~/domain/round.ts'
import type { References } from '~/service/references.ts'
import {
  backingFields,
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  optional,
  words,
} from '~/wire/fields.ts'
import { readDate } from '~/wire/moment.ts'
import { noteFields, presentNote } from '~/wire/note.ts'
import { OfficialEntry, presentOfficialRate } from '~/wire/official.ts'
import { iso, presentBacking, presentFreshness } from '~/wire/present.ts'

export const ReferencesQuery = Type.Object({
  currency: Type.String({
    description: 'A currency code other than USD, in any case.',
    examples: ['KES'],
  }),
  date: optional.string({
    description: 'A UTC date, YYYY-MM-DD, whose end counts; today by default.',
    format: 'date',
    examples: ['2026-03-05'],
  }),
})

const PER_USD = 'Units of the currency per US dollar.'

const FeedValue = namedRecord('FeedValue', {
  feed: Type.String({ description: 'The name of the feed, as REFERENCE_FEED has it.' }),
  per_usd: Type.Number({ description: PER_USD }),
  upstream_at: { ...Instant, description: "The feed's own time of its rates." },
  fetched_at: Instant,
  recorded_at: nullable({
    ...Instant,
    description: 'When it was stored; null for a rate from before that was recorded.',
  }),
  used: Type.Boolean({ description: 'Whether the mid of that run uses it.' }),
  reason: nullable(
    words([...UNUSED_REASONS, 'no_answer', 'pegged'], {
      description:
        'Why it is not used. doubted: too many of its currencies moved at once, or are rounded; ' +
        'same_origin: it republishes a feed that counts; too_far: it is too far from the feeds ' +
        'that agree; disputed: feeds disagree, and another one counts; held_back: it moved too ' +
        'far and waits to be confirmed; not_preferred: another feed is used; no_answer: it gave ' +
        'no valid response in the last run; pegged: the currency follows another one.',
    }),
  ),
})

export const ReferencesResponse = namedRecord('ReferencesResponse', {
  currency: Type.String({ examples: ['KES'] }),
  date: Type.String({ format: 'date', examples: ['2026-03-05'] }),
  mid: nullable.record(
    {
      per_usd: Type.Number({ description: PER_USD }),
      source: Type.String(),
      fetched_at: Instant,
      recorded_at: nullable({
        ...Instant,
        description: 'When the reference rate was stored; null where `reference_id` is.',
      }),
      reference_id: nullable.integer({
        description:
          'The id of the reference rate, for `/proofs`; for a pegged currency that of the ' +
          'currency it follows, null if that is USD.',
      }),
      ...backingFields,
    },
    'The mid at the end of the date; null without a recent one.',
  ),
  feeds: Type.Array(FeedValue, {
    description: 'The last response of each feed that responded in the seven days before.',
  }),
  official: Type.Array(OfficialEntry, {
    description: "The banks' rates for the date, for comparison; never part of the mid.",
  }),
  ...noteFields,
  ...freshnessFields,
})

/** Reads a checked query. Throws a 400 for a date that does not exist. */
export function referencesQuestion({ currency, date }: Static<typeof ReferencesQuery>) {
  if (date !== undefined) readDate('date', date)
  return { currency, date: date ?? null }
}

export function presentReferences(
  { currency, date, mid, row, feeds, official }: References,
  freshness: Freshness,
): Static<typeof ReferencesResponse> {
  return {
    currency,
    date,
    mid: mid && {
      per_usd: roundAmount(mid.rate),
      source: mid.source,
      fetched_at: iso(mid.atMs),
      recorded_at: row && iso(row.recordedMs),
      reference_id: row?.id ?? null,
      ...presentBacking(mid),
    },
    feeds: feeds.map(({ feed, perUsd, upstreamMs, fetchedMs, recordedMs, unused }) => ({
      feed,
      per_usd: roundAmount(perUsd),
      upstream_at: iso(upstreamMs),
      fetched_at: iso(fetchedMs),
      recorded_at: recordedMs === null ? null : iso(recordedMs),
      used: unused === null,
      reason: unused,
    })),
    official: official.map(presentOfficialRate),
    ...presentNote(
      feeds.length > 0 ? null : `No response of a feed with ${currency} is recorded for ${date}.`,
    ),
    ...presentFreshness(freshness),
  }
}
