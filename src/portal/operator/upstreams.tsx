import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import type { FeedRecord, FeedState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import { LATE_DAYS, missedDays } from '~/domain/source/turn.ts'
import { Moment, Seen } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ENGLISH } from '~/portal/words/words.ts'
import { countText } from './list-pages.tsx'
import { Doubts, type Mid, Mids } from './mids.tsx'

type FeedsProps = {
  readonly feeds: FeedState
  readonly newest: Reference | null
  readonly mids: readonly Mid[]
  readonly doubtfulPegs: readonly DoubtfulPeg[]
  readonly nowMs: number
}

export function Feeds({ feeds, newest, mids, doubtfulPegs, nowMs }: FeedsProps) {
  return (
    <section class="stack-tight" aria-labelledby="feeds-title">
      <h2 id="feeds-title">Reference feeds</h2>
      <p class="muted">
        {newest ? (
          <>
            The newest mid is {ENGLISH.spanText(nowMs - newest.atMs)} old (
            <Moment ms={newest.atMs} />
            ), from {newest.source}.{' '}
          </>
        ) : (
          'There is no mid yet. '
        )}
        {feeds.ranMs === null ? (
          'No feed was queried yet.'
        ) : (
          <>
            They were last queried on <Moment ms={feeds.ranMs} />.
          </>
        )}
      </p>
      {feeds.feeds.length > 0 && (
        <RowTable
          label="Table of the feeds"
          columns={feedColumns({ served: feeds.served, nowMs })}
          rows={feeds.feeds}
          keyOf={({ id }) => id}
        />
      )}
      <Doubts held={feeds.held} doubtfulPegs={doubtfulPegs} />
      <Mids mids={mids} held={feeds.held} nowMs={nowMs} />
    </section>
  )
}

const lastSuccess = (nowMs: number): Column<Pick<FeedRecord, 'succeededMs'>> => ({
  head: 'Last success',
  cell: ({ succeededMs }) =>
    succeededMs === null ? 'never' : <Seen ms={succeededMs} nowMs={nowMs} />,
})

type Failure = Pick<FeedRecord, 'failedMs' | 'message'> & { readonly refused?: unknown }

const lastFailure = (nowMs: number): Column<Failure> => ({
  head: 'Last failure',
  cell: ({ failedMs, message, refused }) => (
    <div>
      {failedMs === null ? (
        'never'
      ) : (
        <>
          <Seen ms={failedMs} nowMs={nowMs} /> {message}
        </>
      )}
      {Array.isArray(refused) && refused.length > 0 && `; refused: ${refused.join('; ')}`}
    </div>
  ),
})

type FeedProps = { served: string | null; nowMs: number }

const feedColumns = ({ served, nowMs }: FeedProps): Column<FeedRecord>[] => [
  {
    head: 'Feed',
    cell: ({ id }) => (
      <>
        {id} {id === served && <span class="tag tag-good">served last</span>}
      </>
    ),
  },
  { head: 'State', cell: stateText },
  lastSuccess(nowMs),
  lastFailure(nowMs),
]

function stateText({ triedMs, isFailing }: FeedRecord): string {
  if (triedMs === null) return 'not queried yet'
  return isFailing ? 'failing' : 'works'
}

type SourcesProps = { readonly sources: readonly SourceRecord[]; readonly nowMs: number }

/** The banks whose official rates are fetched; nothing if none is. */
export const Sources = ({ sources, nowMs }: SourcesProps) =>
  sources.length === 0 ? null : (
    <section class="stack-tight" aria-labelledby="sources">
      <h2 id="sources">Official rates</h2>
      <p class="muted">
        Each bank is queried when it publishes. From {LATE_DAYS} missed days of publication on it
        counts as late; holidays count, too.
      </p>
      <RowTable
        label="Table of the banks"
        columns={sourceColumns(nowMs)}
        rows={sources}
        keyOf={({ id }) => id}
      />
    </section>
  )

const sourceColumns = (nowMs: number): Column<SourceRecord>[] => [
  { head: 'Bank', cell: ({ id }) => id },
  {
    head: 'State',
    cell: (source) => {
      const missed = missedDays(source, nowMs)
      const late = missed === null || missed === 0 ? '' : `, ${countText(missed, 'day')} missed`
      return `${source.isFailing ? 'failing' : 'works'}${late}`
    },
  },
  {
    head: 'Newest day',
    cell: ({ newestMs }) => (newestMs === null ? 'none' : <Seen ms={newestMs} nowMs={nowMs} />),
  },
  lastSuccess(nowMs),
  lastFailure(nowMs),
]

/** The banks that an operator should look at: those that fail, refuse to agree, or are late. */
export const troubledOf = (sources: readonly SourceRecord[], nowMs: number): string[] =>
  sources
    .filter((source) => {
      const missed = missedDays(source, nowMs) ?? 0
      return source.isFailing || source.refused.length > 0 || missed >= LATE_DAYS
    })
    .map(({ id }) => id)

type ConnectorsProps = { readonly connectors: readonly ConnectorRecord[]; readonly nowMs: number }

/** The connectors that ran, and how their last runs went; nothing if none did. */
export const Connectors = ({ connectors, nowMs }: ConnectorsProps) =>
  connectors.length === 0 ? null : (
    <section class="stack-tight" aria-labelledby="connectors">
      <h2 id="connectors">Connectors</h2>
      <RowTable
        label="Table of the connectors"
        columns={connectorColumns(nowMs)}
        rows={connectors}
        keyOf={({ id }) => id}
      />
    </section>
  )

const connectorColumns = (nowMs: number): Column<ConnectorRecord>[] => [
  { head: 'Connector', cell: ({ id }) => id },
  { head: 'State', cell: ({ isFailing }) => (isFailing ? 'failing' : 'works') },
  {
    head: 'Last success',
    cell: ({ succeededMs, recorded, refused }) =>
      succeededMs === null ? (
        'never'
      ) : (
        <div>
          <Seen ms={succeededMs} nowMs={nowMs} /> {recorded} recorded, {refused} refused
        </div>
      ),
  },
  lastFailure(nowMs),
  {
    head: 'Beginning of the last response',
    cell: ({ excerpt }) => (excerpt === null ? 'none came' : <pre>{excerpt}</pre>),
  },
]
