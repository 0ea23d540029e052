/** @jsxImportSource preact */
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { Seen } from '~/portal/moment.tsx'
import { type Column, RowTable } from '~/portal/row-table.tsx'

type Props = { readonly connectors: readonly ConnectorRecord[]; readonly nowMs: number }

/** The connectors that ran, and how their last runs went; nothing if none did. */
export const Connectors = ({ connectors, nowMs }: Props) =>
  connectors.length === 0 ? null : (
    <section class="stack-tight" aria-labelledby="connectors">
      <h2 id="connectors">Connectors</h2>
      <RowTable
        label="Table of the connectors"
        columns={columns(nowMs)}
        rows={connectors}
        keyOf={({ id }) => id}
      />
    </section>
  )

const columns = (nowMs: number): Column<ConnectorRecord>[] => [
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
  {
    head: 'Last failure',
    cell: ({ failedMs, message }) =>
      failedMs === null ? (
        'never'
      ) : (
        <div>
          <Seen ms={failedMs} nowMs={nowMs} /> {message}
        </div>
      ),
  },
  {
    head: 'The last answer begins',
    cell: ({ excerpt }) => (excerpt === null ? 'none came' : <pre>{excerpt}</pre>),
  },
]
