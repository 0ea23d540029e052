import { plainNumberText } from '~/portal/format.ts'
import { PATHS } from '~/portal/paths.ts'
import type { ChartPeriod } from './chart-period.ts'

/** The address of a board that shows this. */
export function boardHref(shown: {
  from: string
  to: string
  amount?: number
  period?: ChartPeriod
}): string {
  const params = new URLSearchParams({ from: shown.from, to: shown.to })
  if (shown.amount !== undefined) params.set('amount', plainNumberText(shown.amount))
  if (shown.period) params.set('period', shown.period)
  return `${PATHS.board}?${params}`
}
