import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Suspect } from '~/service/suspects.ts'
import { suspectText } from '~/wire/offer/suspect.ts'
import { LongList } from './list-pages.tsx'
import { priceColumns } from './stale-bests.tsx'

/** Work of the responding process since it started. */
export type WorkFigures = {
  readonly deliveries: { readonly failed: number; readonly lateSeconds: number }
  readonly rows: { readonly recorded: number; readonly refused: number }
  /** Requests, and those of them that took longer than a second. */
  readonly requests: { readonly count: number; readonly slow: number }
  /** Database queries that wait for a connection. */
  readonly waiting: number
  /** Size of the database in bytes, and its growth since a time; null before the first look. */
  readonly growth: {
    readonly bytes: number
    readonly grown: number
    readonly sinceMs: number
  } | null
}

type Props = {
  readonly work: WorkFigures
  readonly suspects: readonly Suspect[]
  readonly nowMs: number
  readonly params: URLSearchParams
}

const LATE_SECONDS = 300

export const Work = ({ work, suspects, nowMs, params }: Props) => (
  <section class="stack-tight" aria-labelledby="work">
    <h2 id="work">Work</h2>
    {work.deliveries.lateSeconds > LATE_SECONDS && (
      <Notice kind="warn">Deliveries of alerts are late.</Notice>
    )}
    <p class="muted">Counted by the process that shows this page, since it started.</p>
    <dl class="facts">
      {factsOf(work).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    {work.growth && (
      <p class="muted">
        The size of the database was first read on <Moment ms={work.growth.sinceMs} />.
      </p>
    )}
    <h3 id="suspects">Suspect prices</h3>
    {suspects.length === 0 ? (
      <p>No price is suspect.</p>
    ) : (
      <LongList
        name="suspects"
        label="Suspect prices"
        noun="price"
        params={params}
        rows={suspects}
        keyOf={({ provider, from, to, atMs }) => `${provider.id} ${from} ${to} ${atMs}`}
        columns={[
          ...priceColumns<Suspect>(nowMs),
          { head: 'Why', cell: ({ suspect }) => suspectText(suspect) },
        ]}
      />
    )}
  </section>
)

const factsOf = ({ deliveries, rows, requests, waiting, growth }: WorkFigures) => [
  ['Failed deliveries of alerts', String(deliveries.failed)],
  ['Longest wait of a due delivery', `${Math.round(deliveries.lateSeconds)} s`],
  ['Rows recorded', String(rows.recorded)],
  ['Rows refused', String(rows.refused)],
  ['Database queries waiting', String(waiting)],
  ['Requests slower than a second', `${requests.slow} of ${requests.count}`],
  ['Database', growth ? `${megabytes(growth.bytes)}, grown by ${megabytes(growth.grown)}` : '–'],
]

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
