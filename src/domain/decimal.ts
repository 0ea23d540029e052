type Decimal = { readonly units: bigint; readonly scale: number }

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const DIGITS_MAX = 60

/**
 * A number in plain notation: no exponent, no needless zeros; `1.50e3` becomes `1500`.
 *
 * Takes a JSON number. A string that is not a number, or would need more than 60 digits on a side
 * of its point (such as `1e400`), is returned unchanged.
 */
export function plainDecimal(text: string): string {
  const decimal = decimalOf(text)
  return decimal ? textOf(decimal) : text
}

/**
 * a / b to 15 significant digits, the most a double keeps, half to even.
 *
 * Null when either is not a decimal, or b is not positive.
 */
export function quotientText(a: string, b: string): string | null {
  const dividend = decimalOf(a)
  const divisor = decimalOf(b)
  if (!dividend || !divisor || divisor.units <= 0n) return null
  const isNegative = dividend.units < 0n
  const over = isNegative ? -dividend.units : dividend.units
  if (over === 0n) return '0'
  const lengths = String(over).length - String(divisor.units).length
  const quotient = (shift: number): Decimal => ({
    units: rounded(scaled(over, shift), scaled(divisor.units, -shift)),
    scale: dividend.scale - divisor.scale + shift,
  })
  const short = quotient(SIGNIFICANT_DIGITS - 1 - lengths)
  const exact =
    String(short.units).length < SIGNIFICANT_DIGITS ? quotient(SIGNIFICANT_DIGITS - lengths) : short
  return (isNegative ? '-' : '') + textOf(exact)
}

const SIGNIFICANT_DIGITS = 15

/** a - b with every digit it has; null when either is not a decimal. */
export function differenceText(a: string, b: string): string | null {
  const from = decimalOf(a)
  const taken = decimalOf(b)
  return from && taken && textOf(difference(from, taken))
}

/**
 * Reports whether a decimal lies between two numbers or equals one of them. Its double would not be
 * enough: that of 1000000000000.00001 is 1e12.
 */
export function isBetween(text: string, { min, max }: { min: number; max: number }): boolean {
  const value = Number(text)
  if (!(value >= min && value <= max)) return false
  if (value !== min && value !== max) return true
  const over = differenceText(text, String(value))
  return over !== null && (over === '0' || over.startsWith('-') === (value === max))
}

/** Numbers to be multiplied. */
export type Factors = readonly number[]

/**
 * The first product minus the others, computed from the numbers as written in decimals and rounded
 * to 12 digits, exact halves away from zero. NaN if a number needs more than 60 digits on one
 * side of its point.
 */
export function roundedDifference(first: Factors, ...others: readonly Factors[]): number {
  const rest = restOf(first, others)
  if (!rest) return Number.NaN
  const size = rest.units < 0n ? -rest.units : rest.units
  const surplus = String(size).length - ROUNDED_DIGITS
  if (surplus <= 0) return Number(textOf(rest))
  const one = 10n ** BigInt(surplus)
  const whole = (size + one / 2n) / one
  return Number(`${rest.units < 0n ? '-' : ''}${whole}e${surplus - rest.scale}`)
}

const ROUNDED_DIGITS = 12

/**
 * Reports whether the first product less the others is at least `goal`, of the decimals that all of
 * them are written as; null if one needs more than 60 digits on a side of its point.
 */
export function reaches(goal: number, first: Factors, ...others: readonly Factors[]) {
  const rest = restOf(first, [...others, [goal]])
  return rest && rest.units >= 0n
}

function restOf(first: Factors, others: readonly Factors[]): Decimal | null {
  let rest = productOf(first)
  for (const factors of others) {
    const product = rest && productOf(factors)
    rest = rest && product && difference(rest, product)
  }
  return rest
}

function productOf(factors: Factors): Decimal | null {
  const product = { units: 1n, scale: 0 }
  for (const factor of factors) {
    const decimal = decimalOf(String(factor))
    if (!decimal) return null
    product.units *= decimal.units
    product.scale += decimal.scale
  }
  return product
}

function difference(from: Decimal, taken: Decimal): Decimal {
  const scale = Math.max(from.scale, taken.scale)
  const unitsOf = (value: Decimal) => scaled(value.units, scale - value.scale)
  return { units: unitsOf(from) - unitsOf(taken), scale }
}

function decimalOf(text: string): Decimal | null {
  const match = NUMERAL.exec(text)
  if (!match) return null
  const [, sign, whole, fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  if (whole!.length + fraction.length > DIGITS_MAX || Math.abs(scale) > DIGITS_MAX) return null
  return { units: BigInt(`${sign}${whole}${fraction}`), scale }
}

function textOf({ units, scale }: Decimal): string {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units)
  if (scale <= 0) return sign + (units === 0n ? '0' : digits + '0'.repeat(-scale))
  const padded = digits.padStart(scale + 1, '0')
  const fraction = padded.slice(-scale).replace(/0+$/, '')
  return sign + padded.slice(0, -scale) + (fraction && `.${fraction}`)
}

const scaled = (value: bigint, digits: number): bigint =>
  digits > 0 ? value * 10n ** BigInt(digits) : value

function rounded(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor
  const twiceRest = (dividend % divisor) * 2n
  const isUp = twiceRest > divisor || (twiceRest === divisor && whole % 2n === 1n)
  return isUp ? whole + 1n : whole
}
