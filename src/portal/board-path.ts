import type { ChartPeriod } from './chart-period.ts'

export const BOARD_PATH = '/'

/** The address of the board with this on it. */
export function boardHref(shown: {
  from: string
  to: string
  amount?: number
  period?: ChartPeriod
}): string {
  const params = new URLSearchParams({ from: shown.from, to: shown.to })
  if (shown.amount !== undefined) params.set('amount', String(shown.amount))
  if (shown.period) params.set('period', shown.period)
  return `${BOARD_PATH}?${params}`
}
