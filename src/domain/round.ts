/** Below this a number of at most six decimals has at most twelve significant digits. */
const MILLIONTHS_MAX = 1e12

/**
 * `x` to 12 significant digits: every rate and amount that leaves the service. Never -0.
 *
 * Most have few decimals and need no look at their digits: a whole number of millionths, divided,
 * is the nearest number there is to that decimal.
 */
export function roundAmount(x: number): number {
  const millionths = x * 1e6
  if (Number.isInteger(millionths) && Math.abs(millionths) < MILLIONTHS_MAX)
    return millionths / 1e6 + 0
  return Number(x.toPrecision(12))
}

/** `x` to 4 decimals: every figure in basis points. Never -0, which adding 0 turns into 0. */
export const roundBps = (x: number): number => Math.round(x * 1e4) / 1e4 + 0

/** `x` to 6 decimals: every percentage. Never -0. */
export const roundPercent = (x: number): number => Math.round(x * 1e6) / 1e6 + 0
