import { isRevoked, type Key } from '~/domain/account.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { type KeyUsage, type OwnUsage, SHOWN_DAYS } from '~/service/own-usage.ts'

/** The number of keys that have a colour of their own; the others share the last. */
const COLOURS = 6
const BAR_WIDTH = 0.8
const HEIGHT = 100

/** Requests of each day, one colour for each key, and the numbers as a table. */
export function UsageChart({ usage, nowMs }: { usage: OwnUsage; nowMs: number }) {
  const { words, say, dayText } = useWords()
  const used = usage.keys.filter(({ total }) => total > 0).toSorted((a, b) => b.total - a.total)
  const totals = Array.from({ length: SHOWN_DAYS }, (_, i) => sumOf(used, i))
  const max = Math.max(1, ...totals)
  const all = totals.reduce((sum, total) => sum + total, 0)
  if (all === 0) return <p class="muted">{say('usage.none')}</p>
  return (
    <div class="stack-tight">
      <figure class="usage-chart">
        <p class="small muted usage-max">{say('usage.busiest', { most: max })}</p>
        <svg
          viewBox={`0 0 ${SHOWN_DAYS} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={say('usage.chart', { days: SHOWN_DAYS, all, most: max })}
        >
          {used.map((one, place) => (
            <Bars key={one.key.id} used={used} place={place} max={max} />
          ))}
        </svg>
        <div class="usage-axis small muted">
          <span>{dayText(usage.firstDay * DAY_MS)}</span>
          <span>{say('last-used.today')}</span>
        </div>
        <figcaption>
          <ul class="legend small">
            {used.map(({ key, total }, place) => (
              <li key={key.id}>
                <span class={`swatch series-${colourOf(place)}`} />{' '}
                {say('list.colon', { before: keyLabel(words, key, nowMs) })}
                {total}
              </li>
            ))}
          </ul>
        </figcaption>
      </figure>
      <UsageTable {...{ usage, used, totals, nowMs }} />
    </div>
  )
}

const colourOf = (place: number): number => Math.min(place, COLOURS - 1)

const sumOf = (used: readonly KeyUsage[], day: number): number =>
  used.reduce((sum, { days }) => sum + days[day]!, 0)

type BarsProps = { used: readonly KeyUsage[]; place: number; max: number }

/** One key's bars, stacked on those of the keys before it. */
function Bars({ used, place, max }: BarsProps) {
  const below = used.slice(0, place)
  return (
    <g class={`series-${colourOf(place)}`}>
      {used[place]!.days.map((requests, day) => {
        const height = (requests / max) * HEIGHT
        const foot = (sumOf(below, day) / max) * HEIGHT
        return requests === 0 ? null : (
          <rect
            x={day + (1 - BAR_WIDTH) / 2}
            y={HEIGHT - foot - height}
            width={BAR_WIDTH}
            height={height}
          />
        )
      })}
    </g>
  )
}

type TableProps = {
  usage: OwnUsage
  used: readonly KeyUsage[]
  totals: readonly number[]
  nowMs: number
}

function UsageTable({ usage, used, totals, nowMs }: TableProps) {
  const { words, say, dayText } = useWords()
  const days = totals.flatMap((total, i) => (total > 0 ? [i] : [])).toReversed()
  return (
    <details>
      <summary>{say('usage.table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
      <section class="table-frame details-body" tabIndex={0} aria-label={say('usage.table-label')}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{say('chart.unit', { unit: 'day' })}</th>
              {used.map(({ key }) => (
                <th key={key.id} scope="col" class="number">
                  {keyLabel(words, key, nowMs)}
                </th>
              ))}
              <th scope="col" class="number">
                {say('usage.all')}
              </th>
            </tr>
          </thead>
          <tbody>
            {days.map((i) => (
              <tr key={i}>
                <th scope="row">{dayText((usage.firstDay + i) * DAY_MS)}</th>
                {used.map(({ key, days: requests }) => (
                  <td key={key.id} class="number">
                    {requests[i]}
                  </td>
                ))}
                <td class="number">{totals[i]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

/** A key's name, with a mark if the key is revoked or about to be. */
function keyLabel({ say }: Words, key: Key, nowMs: number): string {
  const { name } = key
  if (key.revokedMs === null) return name
  return say(isRevoked(key, nowMs) ? 'keys.label-ended' : 'keys.label-ending', { name })
}
