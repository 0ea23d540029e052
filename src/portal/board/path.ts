import type { Goal } from '~/domain/offer/choice.ts'
import { PATHS } from '~/portal/paths.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import type { AmountName } from './amounts.ts'
import type { ChartPeriod } from './chart-period.ts'

export function boardHref(shown: {
  from: string
  to: string
  goal?: Goal
  period?: ChartPeriod
}): string {
  const params = new URLSearchParams({ from: shown.from, to: shown.to })
  if (shown.goal) params.set(...goalParameter(shown.goal))
  if (shown.period) params.set('period', shown.period)
  return `${PATHS.board}?${params}`
}

export const goalParameter = ({ amount, recipientGets }: Goal): [AmountName, string] =>
  recipientGets === null
    ? ['amount', plainNumberText(amount)]
    : ['recipient_gets', plainNumberText(recipientGets)]
