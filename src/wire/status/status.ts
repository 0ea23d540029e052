import { type Static, Type } from '@sinclair/typebox'
import { FEED_FAULTS } from '~/domain/feed/feed.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import type { Status } from '~/service/status.ts'
import { CurrencyCode, Instant, namedRecord, nullable, optional, record, words } from '../fields.ts'
import { iso } from '../present.ts'
import { ConnectorState, presentConnector } from './connector.ts'
import { presentSource, QuoteSourceState } from './source.ts'

/** The label of the interface's version, as in its base path. */
const API_VERSION = 'v1'

const MidFeeds = namedRecord('MidFeeds', {
  last_run: Instant,
  served_by: nullable.string({ description: 'The feed whose rates were used last.' }),
  feeds: Type.Array(
    namedRecord('MidFeedState', {
      name: Type.String(),
      last_success: nullable(Instant),
      age_seconds: nullable.integer(),
      is_failing: Type.Boolean({ description: 'Whether its last fetch failed.' }),
      fault: nullable(words(FEED_FAULTS)),
      reason: nullable.string({ description: "The reason, to be read after the feed's name." }),
    }),
    { description: 'The feeds in order of preference; a feed that is not needed is not fetched.' },
  ),
  held_back: Type.Array(
    namedRecord('HeldBackMid', { currency: CurrencyCode, source: Type.String(), since: Instant }),
    { description: 'Values that moved too far to be used yet; the earlier one stays in use.' },
  ),
})

const DoubtfulPegEntry = namedRecord('DoubtfulPeg', {
  currency: CurrencyCode,
  peg: record({ to: CurrencyCode, rate: Type.Number() }),
  said: Type.Number({ description: 'What feeds say: units of the currency for one of `peg.to`.' }),
  off_pct: Type.Number({
    description: 'How far that is off the peg, in percent; positive if it is worth less.',
  }),
  source: Type.String({ description: 'The feed that says so.' }),
  fetched_at: Instant,
})

export const StatusResponse = namedRecord('StatusResponse', {
  status: words(['ok', 'degraded'], {
    description: '`degraded` when the newest mid-market reference is no longer recent.',
  }),
  version: Type.String({ examples: [API_VERSION] }),
  corridors: Type.Integer(),
  providers: Type.Integer(),
  last_rate_update: nullable(Instant),
  mid_feed: record({
    source: nullable.string(),
    last_fetched: nullable(Instant),
    age_seconds: nullable.integer(),
  }),
  mid_feeds: Type.Optional(MidFeeds),
  quote_sources: optional.list(QuoteSourceState, {
    description: 'The banks whose official rates are fetched. Absent where none is.',
  }),
  connectors: optional.list(ConnectorState, {
    description: 'The connectors and their last runs. Absent where none ran.',
  }),
  doubtful_pegs: optional.list(DoubtfulPegEntry, {
    description:
      'Fixed pegs that feeds put further than 1 % off; they stay in use. Absent where all hold.',
  }),
  doubtful_mids: optional.list(
    namedRecord('DoubtfulMid', {
      currency: CurrencyCode,
      reason: words(['disputed', 'moved_by_one_feed'], {
        description:
          'disputed: feeds disagree, and the preferred one counts; moved_by_one_feed: one feed ' +
          'alone moved it by more than 5 % in the last day.',
      }),
      move_pct: nullable.number(),
    }),
    { description: 'Mids that no second feed supports. Absent where there are none.' },
  ),
  sample: optional.string({ description: 'Present when the data is a demonstration.' }),
  timestamp: Instant,
})

/** `sample` says what a demonstration does to its data; null for real data. */
export function presentStatus(
  {
    corridorCount,
    providerCount,
    lastRateMs,
    feed,
    isMidRecent,
    feeds,
    sources,
    connectors,
    doubtfulPegs,
    doubtfulMids,
  }: Status,
  { nowMs, sample }: { nowMs: number; sample: string | null },
): Static<typeof StatusResponse> {
  return {
    status: isMidRecent ? 'ok' : 'degraded',
    version: API_VERSION,
    corridors: corridorCount,
    providers: providerCount,
    last_rate_update: lastRateMs === null ? null : iso(lastRateMs),
    mid_feed: {
      source: feed?.source ?? null,
      last_fetched: feed && iso(feed.atMs),
      age_seconds: feed && ageSeconds(feed.atMs, nowMs),
    },
    ...(feeds.ranMs !== null && { mid_feeds: presentFeeds(feeds, { ranMs: feeds.ranMs, nowMs }) }),
    ...(sources.length > 0 && {
      quote_sources: sources.map((source) => presentSource(source, nowMs)),
    }),
    ...(connectors.length > 0 && { connectors: connectors.map(presentConnector) }),
    ...(doubtfulPegs.length > 0 && { doubtful_pegs: doubtfulPegs.map(presentDoubtfulPeg) }),
    ...(doubtfulMids.length > 0 && {
      doubtful_mids: doubtfulMids.map(({ currency, movePct }) => ({
        currency,
        reason: movePct === null ? ('disputed' as const) : ('moved_by_one_feed' as const),
        move_pct: movePct === null ? null : roundPercent(movePct),
      })),
    }),
    ...(sample !== null && { sample }),
    timestamp: iso(nowMs),
  }
}

/** A doubtful peg as `/status` and the command line show it. */
export const presentDoubtfulPeg = ({
  currency,
  peg: { to, rate },
  saidRate,
  offPct,
  source,
  atMs,
}: DoubtfulPeg): Static<typeof DoubtfulPegEntry> => ({
  currency,
  peg: { to, rate },
  said: roundAmount(saidRate),
  off_pct: offPct,
  source,
  fetched_at: iso(atMs),
})

const presentFeeds = (
  { served, feeds, held }: FeedState,
  { ranMs, nowMs }: { ranMs: number; nowMs: number },
): Static<typeof MidFeeds> => ({
  last_run: iso(ranMs),
  served_by: served,
  feeds: feeds.map(({ id, succeededMs, isFailing, fault, message }) => ({
    name: id,
    last_success: succeededMs === null ? null : iso(succeededMs),
    age_seconds: succeededMs === null ? null : ageSeconds(succeededMs, nowMs),
    is_failing: isFailing,
    fault: isFailing ? fault : null,
    reason: isFailing ? message : null,
  })),
  held_back: held.map(({ currency, source, sinceMs }) => ({
    currency,
    source,
    since: iso(sinceMs),
  })),
})

const ageSeconds = (atMs: number, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - atMs) / 1000))
