import type { Alert } from '~/domain/alert/alert.ts'
import { PATHS } from '~/portal/paths.ts'
import { plainNumberText } from '~/portal/words/format.ts'

type Page = (typeof PATHS)['alert' | 'changeAlert' | 'alertSecret' | 'deleteAlert']

export const alertHref = (path: Page, { id }: Pick<Alert, 'id'>): string => `${path}?id=${id}`

type Question = { readonly from: string; readonly to: string; readonly amount: number | null }

/** The path of the form of a new alert; an end is a code, or a string that names a country too. */
export function newAlertHref({ from, to, amount }: Question): string {
  const params = new URLSearchParams({ from, to })
  if (amount !== null) params.set('amount', plainNumberText(amount))
  return `${PATHS.newAlert}?${params}`
}
