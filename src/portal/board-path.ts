import type { ChartPeriod } from './chart-period.ts'
import { plainNumber } from './format.ts'
import { PATHS } from './paths.ts'

/** The address of the board with this on it. */
export function boardHref(shown: {
  from: string
  to: string
  amount?: number
  period?: ChartPeriod
}): string {
  const params = new URLSearchParams({ from: shown.from, to: shown.to })
  if (shown.amount !== undefined) params.set('amount', plainNumber(shown.amount))
  if (shown.period) params.set('period', shown.period)
  return `${PATHS.board}?${params}`
}
