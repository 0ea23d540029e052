import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { ORDERS } from '~/domain/history.ts'
import { PERIODS } from '~/domain/period.ts'
import { roundBps } from '~/domain/round.ts'
import type { History, HistoryPoint, HistoryQuestion } from '~/service/history.ts'
import {
  DataFreshness,
  Instant,
  namedRecord,
  nullable,
  ObservationId,
  optional,
  priceFields,
  RateType,
  rateDateField,
  record,
  sampleFields,
  standingFields,
  words,
} from './fields.ts'
import { notedKnownFields } from './known/known.ts'
import { List } from './list/list.ts'
import { readInstant } from './moment.ts'
import { offerFields, presentOffer, presentUnspecified, unspecifiedFields } from './offer/offer.ts'
import { filterParameters, readFilters } from './offer/selection.ts'
import { pastSuspectField, presentSuspect } from './offer/suspect.ts'
import { CorridorQuery, PROVIDER_ID_LENGTH_MAX } from './parameters.ts'
import { iso, presentPrice, presentRateDate, presentSample } from './present.ts'

const LIMIT_MAX = 5000
const LIMIT_DEFAULT = 500

export const periodParameter = (description: string, fallback: (typeof PERIODS)[number]) =>
  words(PERIODS, { default: fallback, description })

export const HistoryQuery = Type.Object({
  ...CorridorQuery.properties,
  period: periodParameter('How far back the window goes, counted from the hour of its end.', '30d'),
  ...filterParameters,
  provider: optional.string({
    description: 'A provider id; only its observations are listed.',
    maxLength: PROVIDER_ID_LENGTH_MAX,
    examples: ['western-union'],
  }),
  order: words(ORDERS, { default: 'asc', description: 'asc is oldest first.' }),
  limit: Type.Integer({
    description: 'The maximum number of observations in the response.',
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
  }),
  offset: Type.Integer({
    description: 'The number of observations to skip.',
    minimum: 0,
    default: 0,
  }),
  withdrawn: words(['false', 'true'], {
    default: 'false',
    description: 'true lists withdrawn observations too.',
  }),
  until: optional.string({
    description:
      "An ISO-8601 date-time at which the window ends instead of now. The first page's to_date " +
      'keeps later pages from shifting.',
    format: 'date-time',
    examples: ['2026-03-05T14:00:00.000Z'],
  }),
})

const Withdrawn = record({ at: Instant, reason: Type.String() })

const RecordedBy = record({
  account_id: Type.String({ format: 'uuid' }),
  account_email: nullable.string(),
  key_id: nullable.string({ format: 'uuid' }),
})

const recordingFields = {
  notes: nullable.string({ description: "The recorder's notes." }),
  recorded_at: { ...Instant, description: 'When it was recorded.' },
  recorded_via: nullable.string({
    description:
      'How it arrived: api, import, upload, connector:NAME or source:NAME; null for ' +
      'observations from before this was recorded.',
    examples: ['api'],
  }),
  recorded_by: Type.Optional({
    ...RecordedBy,
    description: 'Who recorded it, if known; only for admin accounts.',
  }),
  superseded: optional.boolean({
    description:
      'Another observation of the same offer and time was recorded after it, and applies.',
  }),
  withdrawn: Type.Optional({ ...Withdrawn, description: 'It was withdrawn and no longer counts.' }),
}

const HistoryPointFields = namedRecord('HistoryPoint', {
  id: ObservationId,
  timestamp: Instant,
  provider_id: Type.String(),
  provider_name: Type.String(),
  ...priceFields,
  spread_bps: nullable.number({
    description:
      'Basis points below the best rate of its rate_type that was in force in the corridor at ' +
      'its timestamp and is not suspect, among the requested offers; observations of one time ' +
      'count together. Negative only for a suspect rate above the best; null if its provider ' +
      'was not active then, or if too many other observations lie between those shown.',
  }),
  rate_type: RateType,
  ...rateDateField,
  suspect: pastSuspectField,
  evidence: standingFields.evidence,
  ...recordingFields,
  ...offerFields,
  ...unspecifiedFields,
})

export const HistoryResponse = namedRecord('HistoryResponse', {
  corridor: Type.String({ examples: ['USD/KES'] }),
  period: words(PERIODS),
  from_date: Instant,
  to_date: Instant,
  order: words(ORDERS),
  limit: Type.Integer(),
  offset: Type.Integer(),
  has_more: Type.Boolean({ description: 'Whether further pages exist.' }),
  data: Type.Array(HistoryPointFields),
  count: Type.Integer(),
  ...sampleFields,
  data_freshness: DataFreshness,
  as_of: Type.Optional(Instant),
  ...notedKnownFields,
})

/** Observations as rows; what is only about the page is left out. */
export const historyList = new List({
  response: HistoryResponse,
  entries: 'data',
  without: ['period', 'from_date', 'to_date', 'order', 'limit', 'offset', 'has_more', 'note'],
  about: ({ corridor, period }) => ['history', corridor, period],
})

/** Reads a checked query. Throws a 400 for an `until` that is not a date-time. */
export function historyQuestion(query: Static<typeof HistoryQuery>): HistoryQuestion {
  const { from, to, period, order, limit, offset, provider = null, until } = query
  return {
    ...{ from, to, period, order, limit, offset, provider },
    filters: readFilters(query),
    isWithWithdrawn: query.withdrawn === 'true',
    untilMs: readInstant('until', until),
  }
}

export function presentHistory(
  history: History,
  question: HistoryQuestion,
  { tier, cutoffMs, isSample }: Freshness,
): Static<typeof HistoryResponse> {
  const { corridor, fromMs, toMs, hasMore, points } = history
  const { period, order, limit, offset } = question
  return {
    corridor: corridorKey(corridor),
    period,
    from_date: iso(fromMs),
    to_date: iso(toMs),
    order,
    limit,
    offset,
    has_more: hasMore,
    data: points.map(presentPoint),
    count: points.length,
    ...presentSample(isSample),
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoffMs) }),
  }
}

const presentRecording = ({ quote, isSuperseded, recordedBy }: HistoryPoint) => ({
  notes: quote.notes ?? null,
  recorded_at: iso(quote.recordedMs),
  recorded_via: quote.recordedVia,
  ...(recordedBy && {
    recorded_by: {
      account_id: recordedBy.accountId,
      account_email: recordedBy.email,
      key_id: recordedBy.keyId,
    },
  }),
  ...(isSuperseded && { superseded: true as const }),
  ...(quote.withdrawn && {
    withdrawn: { at: iso(quote.withdrawn.atMs), reason: quote.withdrawn.reason },
  }),
})

const presentPoint = (point: HistoryPoint): Static<typeof HistoryPointFields> => {
  const { quote, provider, spreadBps, unspecified } = point
  return {
    id: quote.id,
    timestamp: iso(quote.atMs),
    provider_id: provider.id,
    provider_name: provider.name,
    ...presentPrice(quote),
    spread_bps: spreadBps === null ? null : roundBps(spreadBps),
    rate_type: quote.rateType,
    ...presentRateDate(quote, provider),
    ...presentSuspect(point),
    evidence: quote.evidence,
    ...presentRecording(point),
    ...presentOffer(quote),
    ...presentUnspecified(unspecified),
  }
}
