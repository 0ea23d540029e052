/** @jsxImportSource preact */
import type { SourceRecord } from '~/domain/source/state.ts'
import { LATE_DAYS, missedDays } from '~/domain/source/turn.ts'
import { Seen } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { countText } from './list-pages.tsx'

type Props = { readonly sources: readonly SourceRecord[]; readonly nowMs: number }

/** The banks whose official rates are fetched; nothing if none is. */
export const Sources = ({ sources, nowMs }: Props) =>
  sources.length === 0 ? null : (
    <section class="stack-tight" aria-labelledby="sources">
      <h2 id="sources">Official rates</h2>
      <p class="muted">
        Each bank is asked when it publishes. From {LATE_DAYS} missed days of publication on it
        counts as late; holidays count, too.
      </p>
      <RowTable
        label="Table of the banks"
        columns={columns(nowMs)}
        rows={sources}
        keyOf={({ id }) => id}
      />
    </section>
  )

const columns = (nowMs: number): Column<SourceRecord>[] => [
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
  {
    head: 'Last success',
    cell: ({ succeededMs }) =>
      succeededMs === null ? 'never' : <Seen ms={succeededMs} nowMs={nowMs} />,
  },
  {
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
        {refused.length > 0 && `; refused: ${refused.join('; ')}`}
      </div>
    ),
  },
]

/** The banks that an operator should look at: those that fail, refuse to agree, or are late. */
export const troubledOf = (sources: readonly SourceRecord[], nowMs: number): string[] =>
  sources
    .filter((source) => {
      const missed = missedDays(source, nowMs) ?? 0
      return source.isFailing || source.refused.length > 0 || missed >= LATE_DAYS
    })
    .map(({ id }) => id)
