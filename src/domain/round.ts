const DIGITS = 12
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
/** The smallest number for which the powers of ten needed here are exact doubles. */
const PLAIN_MIN = 1e-10
const PLAIN_MAX = 1e12
/** An upper bound for the rounding error of a product of two doubles below 1e12. */
const DOUBT = 1e-3

/**
 * Rounds `x` to 12 significant digits, as every rate and amount in a response. Never -0.
 *
 * The number is scaled up until all its digits are whole, rounded, and divided back, which gives
 * the double nearest to that decimal. Far from 1 the number is printed and parsed instead.
 */
export function roundAmount(x: number): number {
  const size = Math.abs(x)
  if (!(size >= PLAIN_MIN && size < PLAIN_MAX)) return Number(x.toPrecision(DIGITS)) + 0
  const decimals = decimalsOf(size)
  const digits = digitsOf(size, decimals)
  const rounded = digits / POWERS_OF_TEN[decimals]!
  return x < 0 ? -rounded : rounded
}

/**
 * Reports whether a number lies so close to the middle between two of 12 digits that a product or
 * two of doubles cannot decide its side.
 */
export function isNearHalf(x: number): boolean {
  const size = Math.abs(x)
  if (!(size >= PLAIN_MIN && size < PLAIN_MAX)) return true
  const digits = size * POWERS_OF_TEN[decimalsOf(size)]!
  return Math.abs(digits - Math.floor(digits) - 0.5) < HALF_DOUBT
}

/** More than the error of three products and two differences of doubles below 1e12. */
const HALF_DOUBT = 4e-3

/** The number of decimals of a number between 1e-10 and 1e12 that is cut to 12 digits. */
export function decimalsOf(size: number): number {
  let decimals = size < 1e4 ? DIGITS - 1 : size < 1e8 ? DIGITS - 5 : DIGITS - 9
  if (size >= 1) while (size >= POWERS_OF_TEN[DIGITS - decimals]!) decimals--
  else for (let grown = size; grown < 1; grown *= 10) decimals++
  return decimals
}

/** A number between 1e-10 and 1e12 in units of its last decimal, rounded half up. */
export function digitsOf(size: number, decimals: number): number {
  const power = POWERS_OF_TEN[decimals]!
  const digits = size * power
  const whole = Math.floor(digits)
  const over = digits - whole - 0.5
  const isSure = Math.abs(over) > DOUBT
  return (isSure ? over : over + errorOf(digits, size, power)) < 0 ? whole : whole + 1
}

/** Amount by which a product of doubles is less than the exact product. T. J. Dekker, 1971. */
function errorOf(product: number, a: number, b: number): number {
  const [highA, highB] = [upperHalf(a), upperHalf(b)]
  const [lowA, lowB] = [a - highA, b - highB]
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB)
}

/** The number in half as many binary digits as a double has, so that products of it are exact. */
function upperHalf(x: number): number {
  const shifted = x * (2 ** 27 + 1)
  return shifted - (shifted - x)
}

/** Rounds `x` to 4 decimals, as every number in basis points. Never -0. */
export const roundBps = (x: number): number => toDecimals(x, 1e4)

/** `x` to 6 decimals: every percentage. Never -0. */
export const roundPercent = (x: number): number => toDecimals(x, 1e6)

/** The largest whole number of units whose digits a double keeps. */
const KEPT_MAX = 1e15

/** Rounds to a decimal, or to 12 digits if that has too many; adding 0 turns -0 into 0. */
const toDecimals = (x: number, unitsPerOne: number): number =>
  Math.abs(x) * unitsPerOne < KEPT_MAX
    ? Math.round(x * unitsPerOne) / unitsPerOne + 0
    : roundAmount(x)
