import { POWERS_OF_TEN } from '~/domain/round.ts'

const ZERO = 48
const POINT = 46
const THOUSAND = 1000
const MILLION = 1_000_000

/** Digits that are worked on at once: as many as an integer of 32 bits surely holds. */
const NINE = 9
const BILLION = 1_000_000_000

/** The longest that `writeDecimal` writes, with the zeros behind the end that are no part of it. */
export const DECIMAL_BYTES_MAX = 22

/** The digits of 0 to 999, three for each. */
const TRIPLES = Uint8Array.from(
  Array.from({ length: THOUSAND }, (_, i) => String(i).padStart(3, '0')).join(''),
  (digit) => ZERO + Number(digit),
)

/**
 * Writes `digits / 10 ** decimals` without zeros at its end; returns where it ends. Takes whole
 * numbers up to 1e12, of at most 18 decimals.
 */
export function writeDecimal(
  bytes: Uint8Array,
  start: number,
  digits: number,
  decimals: number,
): number {
  const scale = POWERS_OF_TEN[decimals]!
  const whole = Math.floor(digits / scale)
  const fraction = digits - whole * scale
  const point = writeWhole(bytes, start, whole)
  if (fraction === 0) return point
  bytes[point] = POINT
  return writeFraction(bytes, point + 1, fraction, decimals)
}

function writeWhole(bytes: Uint8Array, start: number, whole: number): number {
  if (whole < BILLION) return writeInteger(bytes, start, whole | 0)
  const billions = (whole / BILLION) | 0
  const end = writeInteger(bytes, start, billions)
  return writeNine(bytes, end, (whole - billions * BILLION) | 0)
}

/** All decimals, filled up to nine or eighteen, and back to the last that is not zero. */
function writeFraction(
  bytes: Uint8Array,
  start: number,
  fraction: number,
  decimals: number,
): number {
  let end: number
  if (decimals <= NINE) {
    end = writeNine(bytes, start, (fraction * POWERS_OF_TEN[NINE - decimals]!) | 0)
  } else {
    const unit = POWERS_OF_TEN[decimals - NINE]!
    const high = (fraction / unit) | 0
    end = writeNine(bytes, start, high)
    const low = (fraction - high * unit) * POWERS_OF_TEN[2 * NINE - decimals]!
    end = writeNine(bytes, end, low | 0)
  }
  while (bytes[end - 1] === ZERO) end--
  return end
}

/** A whole number below 1e9, from its end on; in front stand one to three digits. */
function writeInteger(bytes: Uint8Array, start: number, integer: number): number {
  let end = start + 1
  for (let range = 10; integer >= range && end < start + NINE; range *= 10) end++
  let at = end
  let rest = integer
  while (rest >= THOUSAND) {
    const higher = (rest / THOUSAND) | 0
    at -= 3
    writeTriple(bytes, at, rest - THOUSAND * higher)
    rest = higher
  }
  for (let from = 3 * rest + 3; at > start; ) bytes[--at] = TRIPLES[--from]!
  return end
}

/** A whole number below 1e9 with the zeros in front of it. */
function writeNine(bytes: Uint8Array, start: number, integer: number): number {
  const millions = (integer / MILLION) | 0
  const rest = integer - MILLION * millions
  const thousands = (rest / THOUSAND) | 0
  writeTriple(bytes, start, millions)
  writeTriple(bytes, start + 3, thousands)
  writeTriple(bytes, start + 6, rest - THOUSAND * thousands)
  return start + NINE
}

function writeTriple(bytes: Uint8Array, start: number, triple: number): void {
  const first = 3 * triple
  bytes[start] = TRIPLES[first]!
  bytes[start + 1] = TRIPLES[first + 1]!
  bytes[start + 2] = TRIPLES[first + 2]!
}
