const ZERO = 48
const POINT = 46
const THOUSAND = 1000
const MILLION = 1_000_000

/** How many digits are written; zeros at the end of a fraction are removed. */
const DIGITS = 12

/** The most bytes that `writeDecimal` writes. */
export const DECIMAL_BYTES_MAX = 2 * DIGITS

/** The digits of 0 to 999, three bytes for each number, the first in the lowest byte. */
const TRIPLES = Int32Array.from({ length: THOUSAND }, (_, i) => {
  const [first, second, third] = Buffer.from(String(i).padStart(3, '0'))
  return first! | (second! << 8) | (third! << 16)
})

/**
 * Writes `digits / 10 ** decimals` without trailing zeros; returns the position after it.
 *
 * Takes whole numbers of exactly 12 digits, and at most 18 decimals. May overwrite bytes after the
 * position returned. Four plain parameters, as every number of an answer comes through here.
 */
export function writeDecimal(
  bytes: Uint8Array,
  start: number,
  digits: number,
  decimals: number,
): number {
  const point = start + DIGITS - decimals
  if (point <= start) return writeBelowOne(bytes, start, digits, decimals)
  writeTwelve(bytes, start + 1, digits)
  for (let at = start; at < point; at++) bytes[at] = bytes[at + 1]!
  bytes[point] = POINT
  const end = endOf(bytes, start + 1 + DIGITS)
  return end === point + 1 ? point : end
}

/**
 * Writes `millionths / 1e6` without trailing zeros; returns the position after it.
 *
 * Takes whole numbers from 0 to 999,999,999. May overwrite bytes after the position returned.
 */
export function writeMillionths(bytes: Uint8Array, start: number, millionths: number): number {
  const whole = ((millionths + 0.5) * 1e-6) | 0
  const rest = millionths - whole * MILLION
  let at = start
  if (whole > 99) bytes[at++] = ZERO + ((whole * 0.010001) | 0)
  if (whole > 9) bytes[at++] = TRIPLES[whole]! >> 8
  bytes[at++] = TRIPLES[whole]! >> 16
  if (rest === 0) return at
  bytes[at] = POINT
  writeSix(bytes, at + 1, rest)
  return endOf(bytes, at + 7)
}

function writeBelowOne(bytes: Uint8Array, start: number, digits: number, decimals: number): number {
  const first = start + 2 + decimals - DIGITS
  bytes.fill(ZERO, start, first)
  bytes[start + 1] = POINT
  writeTwelve(bytes, first, digits)
  return endOf(bytes, first + DIGITS)
}

function endOf(bytes: Uint8Array, filled: number): number {
  let end = filled
  while (bytes[end - 1] === ZERO) end--
  return end
}

/**
 * Writes twelve digits. It multiplies where a division would take longer; the half that is added
 * keeps the product further from a whole number than its own error.
 */
function writeTwelve(bytes: Uint8Array, start: number, digits: number): void {
  const millions = ((digits + 0.5) * 1e-6) | 0
  writeSix(bytes, start, millions)
  writeSix(bytes, start + 6, (digits - millions * MILLION) | 0)
}

function writeSix(bytes: Uint8Array, start: number, digits: number): void {
  const thousands = ((digits + 0.5) * 1e-3) | 0
  writeTriple(bytes, start, thousands)
  writeTriple(bytes, start + 3, digits - thousands * THOUSAND)
}

function writeTriple(bytes: Uint8Array, start: number, digits: number): void {
  const triple = TRIPLES[digits]!
  bytes[start] = triple
  bytes[start + 1] = triple >> 8
  bytes[start + 2] = triple >> 16
}
