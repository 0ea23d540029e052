type Extent = { readonly min: number; readonly max: number }

type Box = Extent & { readonly width: number; readonly height: number }

/** The least and the greatest of all values; null when there are none. */
export function extentOf(...series: readonly (readonly (number | null)[])[]): Extent | null {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const values of series)
    for (const value of values) {
      if (value === null) continue
      if (value < min) min = value
      if (value > max) max = value
    }
  return min <= max ? { min, max } : null
}

/**
 * A line through `values`, evenly spread over a box, as the `d` of an SVG path.
 *
 * Each value holds until the next one where `isStepped`, and is joined to it otherwise. Empty
 * without values; a single one gives a short line at its place. Whole pixels and relative moves: a
 * page may hold a hundred of these.
 */
export function linePath(
  values: readonly (number | null)[],
  { width, height, min, max }: Box,
  isStepped = false,
): string {
  const stepX = values.length > 1 ? width / (values.length - 1) : 0
  const scale = max > min ? height / (max - min) : 0
  const middle = max > min ? 0 : height / 2
  let path = ''
  let x = 0
  let y = 0
  let count = 0
  values.forEach((value, i) => {
    if (value === null) return
    const atX = Math.round(i * stepX)
    const atY = Math.round(middle + (max - value) * scale)
    if (count === 0) path = `M${atX} ${atY}`
    else if (!isStepped) path += `l${atX - x} ${atY - y}`
    else path += `h${atX - x}${atY === y ? '' : `v${atY - y}`}`
    x = atX
    y = atY
    count++
  })
  if (isStepped && count > 0 && x < width) return `${path}h${width - x}`
  return count === 1 ? `${path}h1` : path
}
