/** One line of a bench: what was measured, the value, and the reference. */
export type Figure = {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The value of the plain alternative in the same run. */
  readonly beside?: { readonly what: string; readonly value: number }
  /** Goal of the ratio, or of the value if there is nothing to compare it with. */
  readonly goal?: string
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function percentile(values: readonly number[], percent: number): number {
  if (percent === 50) return median(values)
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1]!
}

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

/** The results as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, unit, beside, goal }) => [
    what,
    `${shown(value)} ${unit}`,
    beside ? `${beside.what}: ${shown(beside.value)} ${unit}` : '',
    beside ? (value / beside.value).toFixed(2) : '',
    goal ?? '',
  ])
  const head = ['what', 'measured', 'beside', 'ratio', 'goal']
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
