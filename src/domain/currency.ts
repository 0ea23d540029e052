export const CURRENCY_TYPES = ['source', 'target', 'both'] as const
export const CURRENCY_KINDS = ['fiat', 'stablecoin'] as const

type CurrencyType = (typeof CURRENCY_TYPES)[number]
type CurrencyKind = (typeof CURRENCY_KINDS)[number]

/** A fixed price in another currency: `rate` units of the pegged one for one of `to`. */
export type Peg = { readonly to: string; readonly rate: number }

export type Currency = {
  readonly code: string
  readonly name: string
  readonly type: CurrencyType
  readonly kind: CurrencyKind
  readonly flagUrl: string | null
  readonly minorUnits: number | null
  readonly isActive: boolean
  readonly sortOrder: number
  /** The fixed price it is held at; null for a currency that floats. */
  readonly peg: Peg | null
}

export const USD = 'USD'

const CODE = /^[A-Za-z]{3,4}$/

/** The code in its canonical form (trimmed, upper case), or null when it cannot be a code. */
export function currencyCode(text: string): string | null {
  if (text.length > CODE_TEXT_LENGTH_MAX) return null
  const code = text.trim()
  return CODE.test(code) ? code.toUpperCase() : null
}

const CODE_TEXT_LENGTH_MAX = 64
