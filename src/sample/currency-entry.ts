import type { Currency } from '~/domain/currency.ts'
import { type SampleCurrency, sampleCatalogue } from './sample.ts'

/** Comes after every currency of the sample. */
const SORT_ORDER = 10_000

const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })

/**
 * The catalogue's entry of a currency: the sample's, which knows its peg, or one with its English
 * name; null for a code that no currency has.
 */
export function currencyEntry(code: string): Currency | null {
  const { currencies } = sampleCatalogue('')
  const known = currencies.find((currency) => currency.code === code)
  if (known) return entryOf(known)
  const name = /^[A-Z]{3}$/.test(code) ? names.of(code) : undefined
  if (name === undefined) return null
  const more = { flagUrl: null, minorUnits: null, isActive: true, sortOrder: SORT_ORDER, peg: null }
  return { code, name, type: 'both', kind: 'fiat', ...more }
}

const entryOf = ({ code, name, type, kind, peg, ...more }: SampleCurrency): Currency => ({
  code,
  name,
  type: type as Currency['type'],
  kind: kind as Currency['kind'],
  flagUrl: null,
  minorUnits: more.minor_units,
  isActive: true,
  sortOrder: more.sort_order,
  peg,
})
