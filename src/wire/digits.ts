const ZERO = 48
const POINT = 46

/** Digits of the numbers that `writeDigits` takes. */
const DIGITS = 12
const HALF = 6
const MILLION = 1_000_000
const THOUSAND = 1000

/** The digits of 0 to 999, three for each. */
const TRIPLES = Uint8Array.from(
  Array.from({ length: THOUSAND }, (_, i) => String(i).padStart(3, '0')).join(''),
  (digit) => ZERO + Number(digit),
)

/**
 * Writes a number of exactly 12 digits, of which the last `decimals` are behind the point, without
 * the zeros at its end; returns where it ends.
 */
export function writeDigits(
  bytes: Uint8Array,
  start: number,
  digits: number,
  decimals: number,
): number {
  const whole = DIGITS - decimals
  return whole > 0
    ? writeWhole(bytes, start, digits, whole)
    : writeBelowOne(bytes, start, digits, -whole)
}

/** The first `whole` digits are in front of the point. */
function writeWhole(bytes: Uint8Array, start: number, digits: number, whole: number): number {
  writeAll(bytes, start + 1, digits)
  const point = start + whole
  for (let at = start; at < point; at++) bytes[at] = bytes[at + 1]!
  bytes[point] = POINT
  const end = endOf(bytes, start + 1 + DIGITS, point + 1)
  return end === point + 1 ? point : end
}

/** All digits are behind the point, and `zeros` before them. */
function writeBelowOne(bytes: Uint8Array, start: number, digits: number, zeros: number): number {
  bytes[start] = ZERO
  bytes[start + 1] = POINT
  const first = start + 2 + zeros
  bytes.fill(ZERO, start + 2, first)
  writeAll(bytes, first, digits)
  return endOf(bytes, first + DIGITS, first)
}

function writeAll(bytes: Uint8Array, start: number, digits: number): void {
  const high = (digits / MILLION) | 0
  writeHalf(bytes, start, high)
  writeHalf(bytes, start + HALF, (digits - high * MILLION) | 0)
}

function writeHalf(bytes: Uint8Array, start: number, half: number): void {
  const head = (half / THOUSAND) | 0
  const [first, second] = [3 * head, 3 * (half - THOUSAND * head)]
  bytes[start] = TRIPLES[first]!
  bytes[start + 1] = TRIPLES[first + 1]!
  bytes[start + 2] = TRIPLES[first + 2]!
  bytes[start + 3] = TRIPLES[second]!
  bytes[start + 4] = TRIPLES[second + 1]!
  bytes[start + 5] = TRIPLES[second + 2]!
}

/** Before the zeros that end at `end` and begin at `start` or later. */
function endOf(bytes: Uint8Array, end: number, start: number): number {
  let last = end
  while (last > start && bytes[last - 1] === ZERO) last--
  return last
}
