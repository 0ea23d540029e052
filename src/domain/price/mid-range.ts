import { believedRange, type Range } from './suspect.ts'

/** The range of a pair's mids while a dollar was worth this much in its currencies. */
export const midRange = (from: Range, to: Range): Range => ({
  least: to.least / from.most,
  most: to.most / from.least,
})

/**
 * Reports whether an executable rate may be suspect against a mid within `mids`: it is believed
 * against each of them if it is against the lowest and the highest.
 */
export const isDoubtful = (rate: number, mids: Range, abovePct: number): boolean =>
  rate > believedRange(mids.least, abovePct).most || rate < believedRange(mids.most, abovePct).least
