/** Units of each currency per USD as exact decimal strings. */
type Rates = { readonly perUsd: ReadonlyMap<string, string> }

const FEW_DIGITS = 2
/** The currencies below which round numbers may be chance. */
const CURRENCIES_MIN = 10

/** The number of round values, if most are and another response's is finer; else 0. */
export function roundedBeside(rates: Rates, others: readonly Rates[]): number {
  if (rates.perUsd.size < CURRENCIES_MIN || !isRound(rates)) return 0
  return others.every(isRound) ? 0 : roundIn(rates)
}

const isRound = (rates: Rates): boolean => roundIn(rates) * 2 > rates.perUsd.size

const roundIn = ({ perUsd }: Rates): number =>
  [...perUsd.values()].filter((text) => digitsOf(text) <= FEW_DIGITS).length

/** The number of significant digits that a plain decimal has, without zeros at either end. */
const digitsOf = (text: string): number =>
  text.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length
