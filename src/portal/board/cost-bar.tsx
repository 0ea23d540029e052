import type { Cost } from '~/domain/price/cost.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Conversion } from '~/service/convert.ts'

const HEIGHT = 8

/** The highest total cost among prices, in percent, which fills a bar; 0 if none is known. */
export const widestCost = (entries: readonly Conversion[]): number =>
  Math.max(0, ...entries.map(({ cost }) => cost?.totalPct ?? 0))

type Props = {
  readonly cost: Cost
  /** The total cost that fills the bar, in percent. */
  readonly widestPct: number
}

/**
 * Share of the fee, solid, and that of the exchange rate, striped, so that they differ without
 * colour; and both in words. A rate better than the mid shortens the part of the fee.
 */
export function CostBar({ cost: { feePct, marginPct, totalPct }, widestPct }: Props) {
  const { say, percentText } = useWords()
  if (totalPct <= 0 || widestPct <= 0) return null
  const feeEnd = share(Math.min(feePct, totalPct), widestPct)
  const end = share(totalPct, widestPct)
  return (
    <>
      <svg class="row-bar" width="100%" height={HEIGHT} aria-hidden="true">
        <rect class="row-bar-fee" width={feeEnd} height={HEIGHT} />
        <line class="row-bar-rate" x1={feeEnd} x2={end} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      </svg>
      <span class="aside">
        {say('cost.row-parts', {
          fee: percentText(feePct),
          margin: percentText(marginPct),
        })}
      </span>
    </>
  )
}

/** The end of a bar in percent of the room, which one dearer than the widest fills. */
const share = (pct: number, widestPct: number): string =>
  `${Math.min(100, (pct / widestPct) * 100).toFixed(1)}%`
