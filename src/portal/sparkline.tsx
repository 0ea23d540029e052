import { dotsPath, extentOf, linePath } from './line-path.ts'

type Props = {
  readonly mid: readonly (number | null)[]
  readonly best: readonly (number | null)[]
  /** Points whose mid is carried forward from long before: they are drawn in dashes. */
  readonly isCarried?: readonly boolean[]
  readonly width: number
  readonly height: number
  /** The content of the chart in words. */
  readonly label: string
}

const MARGIN = 2

/** Mid and best rate as two small lines of steps, without axes; nothing if there is nothing. */
export function Sparkline({ mid, best, isCarried = [], width, height, label }: Props) {
  const extent = extentOf(mid, best)
  if (!extent) return null
  const box = { ...extent, width, height }
  const viewBox = `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`
  const midPath = linePath(
    mid.map((rate, i) => (isCarried[i] ? null : rate)),
    box,
  )
  const carriedPath = linePath(
    mid.map((rate, i) => (isCarried[i] ? rate : null)),
    box,
  )
  const bestPath = linePath(best, box)
  const dots = dotsPath(best, box)
  return (
    <svg class="spark" viewBox={viewBox} preserveAspectRatio="none" role="img" aria-label={label}>
      {midPath && <path class="spark-mid" d={midPath} />}
      {carriedPath && <path class="spark-mid spark-carried" d={carriedPath} />}
      {bestPath && <path class="spark-best" d={bestPath} />}
      {dots && <path class="spark-best spark-dots" d={dots} />}
    </svg>
  )
}
