import { type Static, Type } from '@sinclair/typebox'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { Official, OfficialQuestion, OfficialRate } from '~/service/official.ts'
import {
  backingFields,
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  optional,
  standingFields,
} from './fields.ts'
import { List } from './list/list.ts'
import { readDate } from './moment.ts'
import { noteFields, presentNote } from './note.ts'
import { PROVIDER_ID_LENGTH_MAX } from './parameters.ts'
import { iso, presentBacking, presentFreshness } from './present.ts'

const PROVIDERS_MAX = 20

export const OfficialQuery = Type.Object({
  currency: Type.String({
    description: 'A currency code, in any case; rates with it on either side are listed.',
    examples: ['KES'],
  }),
  date: Type.String({
    description: "A date, YYYY-MM-DD, as the bank's calendar shows it; not in the future.",
    format: 'date',
    examples: ['2026-03-05'],
  }),
  to: optional.string({ description: 'The other currency of the rates.', examples: ['USD'] }),
  provider: optional.list(Type.String({ maxLength: PROVIDER_ID_LENGTH_MAX }), {
    description: 'Bank ids, comma-separated or in repeated parameters; all by default.',
    minItems: 1,
    maxItems: PROVIDERS_MAX,
    examples: [['central-bank-of-kenya']],
  }),
})

export const OfficialEntry = namedRecord('OfficialRate', {
  provider_id: Type.String(),
  provider_name: Type.String(),
  from: Type.String(),
  to: Type.String(),
  rate: Type.Number({ description: 'Units of `to` per one unit of `from`.' }),
  rate_date: nullable.string({
    format: 'date',
    description: "The bank's own date of the rate; null where its time zone is not known.",
  }),
  age_days: nullable.integer({
    description:
      'Days from rate_date to the requested date. More than 0: no rate of that date is ' +
      'recorded, and this is the nearest earlier one.',
  }),
  last_updated: { ...Instant, description: 'When the rate took effect.' },
  recorded_at: { ...Instant, description: 'When it was recorded.' },
  evidence: standingFields.evidence,
  mid: nullable.record(
    {
      rate: Type.Number(),
      source: Type.String(),
      fetched_at: Instant,
      ...backingFields,
      age_hours: Type.Number({ description: 'From fetched_at to the end of the date.' }),
    },
    'The mid-market rate at the end of the date at the bank; null without a recent one.',
  ),
  gap_bps: nullable.number({
    description: '(rate / mid.rate - 1) * 10000; negative is below the mid.',
  }),
})

export const OfficialResponse = namedRecord('OfficialResponse', {
  currency: Type.String({ examples: ['KES'] }),
  to: nullable.string(),
  date: Type.String({ format: 'date', examples: ['2026-03-05'] }),
  rates: Type.Array(OfficialEntry),
  count: Type.Integer(),
  ...noteFields,
  ...freshnessFields,
})

export const officialList = new List({
  response: OfficialResponse,
  entries: 'rates',
  without: ['to'],
  about: ({ currency, date }) => ['official', currency, date],
})

/** Reads a checked query. Throws a 400 for a date that does not exist. */
export function officialQuestion(query: Static<typeof OfficialQuery>): OfficialQuestion {
  readDate('date', query.date)
  const { currency, to = null, provider: providers = null, date } = query
  return { currency, to, providers, date }
}

export function presentOfficial(
  official: Official,
  freshness: Freshness,
): Static<typeof OfficialResponse> {
  const { currency, to, date, rates } = official
  return {
    currency,
    to,
    date,
    rates: rates.map(presentOfficialRate),
    count: rates.length,
    ...presentNote(officialNote(official)),
    ...presentFreshness(freshness),
  }
}

export const presentOfficialRate = ({
  quote,
  provider,
  ...one
}: OfficialRate): Static<typeof OfficialEntry> => ({
  provider_id: provider.id,
  provider_name: provider.name,
  from: quote.from,
  to: quote.to,
  rate: quote.rate,
  rate_date: one.rateDate,
  age_days: one.ageDays,
  last_updated: iso(quote.atMs),
  recorded_at: iso(quote.recordedMs),
  evidence: quote.evidence,
  mid: one.mid && {
    rate: roundAmount(one.mid.rate),
    source: one.mid.source,
    fetched_at: iso(one.mid.atMs),
    ...presentBacking(one.mid),
    age_hours: Math.round(one.midAgeMs! / HOUR_MS),
  },
  gap_bps: one.gapBps === null ? null : roundBps(one.gapBps),
})

/** One sentence if rates are missing or of an earlier date; null otherwise. */
function officialNote({ currency, to, date, rates }: Official): string | null {
  const pair = to === null ? currency : `${currency} with ${to}`
  if (rates.length === 0)
    return `No official rate of ${pair} for ${date} is recorded, nor an earlier one still valid.`
  const earlier = rates.filter(({ ageDays }) => ageDays !== null && ageDays > 0)
  if (earlier.length === 0) return null
  const [first] = earlier
  if (rates.length === 1)
    return (
      `No rate of ${first!.provider.name} for ${date} is recorded; ` +
      `its nearest earlier one is of ${first!.rateDate}.`
    )
  return (
    `For ${earlier.length} of ${rates.length} rates none of ${date} is recorded; ` +
    'the nearest earlier one is given, see rate_date and age_days.'
  )
}
