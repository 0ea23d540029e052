const ZERO = 48
const POINT = 46
const THOUSAND = 1000
const MILLION = 1_000_000

/** The number of digits that are written; zeros at the end of a fraction are removed. */
const DIGITS = 12

/** The most bytes that are written for a number, four of them at a time. */
export const DECIMAL_BYTES_MAX = 2 * DIGITS + 1

/**
 * The digits of 0 to 999, three bytes for each number, the first in the lowest byte; in the highest
 * one how many of them are zeros at the end.
 */
const TRIPLES = Int32Array.from({ length: THOUSAND }, (_, i) => {
  const text = String(i).padStart(3, '0')
  const [first, second, third] = Buffer.from(text)
  return first! | (second! << 8) | (third! << 16) | (/0*$/.exec(text)![0].length << 24)
})

/**
 * Writes `digits / 10 ** decimals` without trailing zeros; returns the position after it.
 *
 * Takes whole numbers of exactly 12 digits, and at most 18 decimals. May overwrite bytes after the
 * position returned. It has four plain parameters, as it writes every number of a response.
 */
export function writeDecimal(
  bytes: DataView,
  start: number,
  digits: number,
  decimals: number,
): number {
  const wholes = DIGITS - decimals
  if (wholes <= 0) return writeBelowOne(bytes, start, digits, decimals)
  const millions = ((digits + 0.5) * 1e-6) | 0
  const units = (digits - millions * MILLION) | 0
  writeSix(bytes, start, millions, wholes)
  const zeros = writeSix(bytes, start + 6, units, wholes - 6)
  const point = start + wholes
  bytes.setUint8(point, POINT)
  const end = endOf(bytes, start + 1 + DIGITS, zeros)
  return end <= point + 1 ? point : end
}

/**
 * Writes `millionths / 1e6` without trailing zeros; returns the position after it.
 *
 * Takes whole numbers from 0 to 999,999,999. May overwrite bytes after the position returned.
 */
export function writeMillionths(bytes: DataView, start: number, millionths: number): number {
  const units = millionths | 0
  const whole = (units / MILLION) | 0
  const rest = (units - Math.imul(whole, MILLION)) | 0
  const skipped = whole > 99 ? 0 : whole > 9 ? 1 : 2
  bytes.setInt32(start, TRIPLES[whole]! >> (8 * skipped), true)
  const point = start + 3 - skipped
  if (rest === 0) return point
  bytes.setUint8(point, POINT)
  return endOf(bytes, point + 7, writeSix(bytes, point + 1, rest, 6))
}

function writeBelowOne(bytes: DataView, start: number, digits: number, decimals: number): number {
  const first = start + 2 + decimals - DIGITS
  const millions = ((digits + 0.5) * 1e-6) | 0
  const units = (digits - millions * MILLION) | 0
  writeSix(bytes, start, 0, 6)
  writeSix(bytes, start + 6, 0, 6)
  bytes.setUint8(start + 1, POINT)
  writeSix(bytes, first, millions, 6)
  return endOf(bytes, first + DIGITS, writeSix(bytes, first + 6, units, 6))
}

/** Start of the zeros that end at `filled`, of which at least so many are known. */
function endOf(bytes: DataView, filled: number, zeros: number): number {
  let end = filled - zeros
  if (zeros === 3) while (bytes.getUint8(end - 1) === ZERO) end--
  return end
}

/**
 * Writes six digits, with a byte left free behind the first `wholes` of them; returns how many
 * zeros the last three end with.
 */
function writeSix(bytes: DataView, start: number, digits: number, wholes: number): number {
  const thousands = (digits / THOUSAND) | 0
  const last = TRIPLES[(digits - Math.imul(thousands, THOUSAND)) | 0]!
  writeTriple(bytes, start, TRIPLES[thousands]!, wholes)
  writeTriple(bytes, start + 3, last, wholes - 3)
  return last >> 24
}

function writeTriple(bytes: DataView, start: number, triple: number, wholes: number): void {
  bytes.setInt32(wholes > 0 ? start : start + 1, triple, true)
  if (wholes === 1) bytes.setInt32(start + 2, triple >> 8, true)
  else if (wholes === 2) bytes.setInt32(start + 3, triple >> 16, true)
}
