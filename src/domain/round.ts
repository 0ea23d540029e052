/** `x` to 12 significant digits: every rate and amount that leaves the service. */
export const roundAmount = (x: number): number => Number(x.toPrecision(12))

/** `x` to 4 decimals: every figure in basis points. Never -0, which adding 0 turns into 0. */
export const roundBps = (x: number): number => Math.round(x * 1e4) / 1e4 + 0

/** `x` to 6 decimals: every percentage. Never -0. */
export const roundPercent = (x: number): number => Math.round(x * 1e6) / 1e6 + 0
