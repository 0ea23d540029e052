type Extent = { readonly min: number; readonly max: number }

/** The indexes of values between gaps on both sides. */
export const aloneIn = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null
      ? [i]
      : [],
  )

/**
 * Points for isolated values, too short for a line to be seen: the `d` of an SVG path of lines
 * without length, which round caps make dots.
 */
export function dotsPath(
  values: readonly (number | null)[],
  { width, height, min, max }: Box,
): string {
  const middle = (i: number) => Math.round(((i + 0.5) * width) / values.length)
  const y = (value: number) =>
    Math.round(max > min ? ((max - value) * height) / (max - min) : height / 2)
  return aloneIn(values)
    .map((i) => `M${middle(i)} ${y(values[i]!)}h0`)
    .join('')
}

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
 * Values that each hold for one of the equal stretches of a box: the `d` of an SVG path of steps.
 *
 * No line runs across a stretch without a value; empty without any. Whole pixels and relative
 * moves: a page may hold a hundred of these.
 */
export function linePath(
  values: readonly (number | null)[],
  { width, height, min, max }: Box,
): string {
  const scale = max > min ? height / (max - min) : 0
  const middle = max > min ? 0 : height / 2
  const edge = (i: number) => Math.round((i * width) / values.length)
  let path = ''
  let y: number | null = null
  let run = 0
  values.forEach((value, i) => {
    const atY = value === null ? null : Math.round(middle + (max - value) * scale)
    if (atY !== y || run === 0) {
      if (run > 0) path += `h${run}`
      run = 0
      if (atY !== null) path += y === null ? `M${edge(i)} ${atY}` : `v${atY - y}`
      y = atY
    }
    if (atY !== null) run += edge(i + 1) - edge(i)
  })
  return run > 0 ? `${path}h${run}` : path
}
