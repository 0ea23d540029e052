/** @jsxImportSource preact */
const WIDTH = 100
const HEIGHT = 8

/** The greatest distances below and above the mid that a list of bars shows, in basis points. */
export type Reach = { readonly below: number; readonly above: number }

const REACH_BPS_MIN = 100

export function reachOf(distancesBps: readonly (number | null)[]): Reach {
  const known = distancesBps.filter((bps) => bps !== null)
  const below = Math.max(0, ...known.map((bps) => -bps))
  const above = Math.max(0, ...known)
  return { below: Math.max(below, REACH_BPS_MIN), above }
}

/**
 * The distance of a rate from the mid, which is the upright stroke; one scale for the whole page.
 */
export function DistanceBar({ bps, reach }: { bps: number; reach: Reach }) {
  const scale = WIDTH / (reach.below + reach.above)
  const mid = reach.below * scale
  const length = Math.max(1, Math.abs(bps) * scale)
  const x = bps < 0 ? mid - length : mid
  const className = bps < 0 ? 'bar-below' : 'bar-above'
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect class="bar-track" x="0" y="3" width={WIDTH} height="2" />
      <rect class={className} x={x.toFixed(2)} y="1" width={length.toFixed(2)} height="6" />
      <rect class="bar-mid" x={Math.min(mid, WIDTH - 1).toFixed(2)} y="0" width="1" height="8" />
    </svg>
  )
}
