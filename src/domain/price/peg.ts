import { type Peg, USD } from '~/domain/currency.ts'

type Pegged = { readonly code: string; readonly kind: string; readonly peg: Peg | null }

/**
 * What is wrong with a currency's peg in a catalogue, in words that go behind its name; null where
 * it is fine. `others` finds the catalogue's currencies by code.
 */
export function pegFault(
  currency: Pegged,
  others: (code: string) => Pegged | undefined,
): string | null {
  const { code, kind, peg } = currency
  if (peg === null) return null
  if (kind !== 'fiat' || code === USD) return 'can have no peg: only fiat currencies but USD can'
  if (peg.to === code) return 'is pegged to itself'
  const anchor = others(peg.to)
  if (!anchor) return `is pegged to ${peg.to}, which the catalogue does not have`
  if (anchor.kind !== 'fiat') return `is pegged to ${peg.to}, which is a stablecoin`
  return isCircle(currency, others) ? `is pegged to ${peg.to} in a circle` : null
}

function isCircle(first: Pegged, others: (code: string) => Pegged | undefined): boolean {
  const seen = new Set([first.code])
  let next = first.peg && others(first.peg.to)
  while (next) {
    if (seen.has(next.code)) return true
    seen.add(next.code)
    next = next.peg ? others(next.peg.to) : undefined
  }
  return false
}
