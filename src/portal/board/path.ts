import type { Goal } from '~/domain/offer/choice.ts'
import { KNOWN_AT } from '~/portal/cite/known-page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import type { AmountName } from './amounts.ts'
import type { ChartPeriod } from './chart-period.ts'

export function boardHref(shown: {
  from: string
  to: string
  goal?: Goal
  period?: ChartPeriod
  knownAt?: string | null
}): string {
  const params = new URLSearchParams({ from: shown.from, to: shown.to })
  if (shown.goal) params.set(...goalParameter(shown.goal))
  if (shown.period) params.set('period', shown.period)
  if (shown.knownAt) params.set(KNOWN_AT, shown.knownAt)
  return `${PATHS.board}?${params}`
}

/** The parameter of the earlier time that a page is of; none for the present. */
export const knownParameters = ({ knownAt }: { readonly knownAt: string | null }) =>
  knownAt === null ? [] : [[KNOWN_AT, knownAt] as [string, string]]

export const goalParameter = ({ amount, recipientGets }: Goal): [AmountName, string] =>
  recipientGets === null
    ? ['amount', plainNumberText(amount)]
    : ['recipient_gets', plainNumberText(recipientGets)]
