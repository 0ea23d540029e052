import { type Peg, USD } from '~/domain/currency.ts'

/** The most pegs that may lead from a currency to its anchor: with more, products overflow. */
export const PEGS_MAX = 10

type Pegged = { readonly code: string; readonly kind: string; readonly peg: Peg | null }

/**
 * Error of a currency's peg in a catalogue, to follow its name; null if it is valid. `others` finds
 * the catalogue's currencies by code.
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
  const fault = chainFault(currency, others)
  return fault && `is pegged to ${peg.to}${fault}`
}

/** Error of the pegs that a currency's own leads to; null if they are valid. */
function chainFault(first: Pegged, others: (code: string) => Pegged | undefined): string | null {
  const seen = new Set([first.code])
  let next = first.peg && others(first.peg.to)
  while (next) {
    if (seen.has(next.code)) return ' in a circle'
    seen.add(next.code)
    next = next.peg ? others(next.peg.to) : undefined
  }
  if (seen.size - 1 <= PEGS_MAX) return null
  return `, which more than ${PEGS_MAX - 1} further pegs follow: peg it to the last of them`
}
