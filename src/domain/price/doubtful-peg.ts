import type { Currency, Peg } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import { roundPercent } from '~/domain/round.ts'

/** Distance of a peg from the feeds, in percent of the peg, beyond which it is doubted. */
const OFF_PCT_MAX = 1

/** Time between the two sides of a comparison: the anchor itself moves daily. */
const APART_MS_MAX = DAY_MS

/** A peg that feeds contradict; it goes on being used until the catalogue takes it away. */
export type DoubtfulPeg = {
  readonly currency: string
  readonly peg: Peg
  /** Rate of the feeds: units of the currency for one of its anchor. */
  readonly saidRate: number
  /** In percent of the peg; above zero if the currency is worth less than pegged. */
  readonly offPct: number
  readonly source: string
  readonly atMs: number
}

type Sides = {
  /** The feeds' reference of the currency itself. */
  readonly said: Reference | undefined
  readonly pegged: Reference | undefined
}

/** The doubt about a currency's peg; null without one, or if the two cannot be compared. */
export function doubtfulPeg(
  { code, peg }: Pick<Currency, 'code' | 'peg'>,
  { said, pegged }: Sides,
): DoubtfulPeg | null {
  if (!peg || !said || !pegged) return null
  const isConstant = !Number.isFinite(pegged.atMs)
  if (!isConstant && Math.abs(said.atMs - pegged.atMs) > APART_MS_MAX) return null
  const ratio = said.perUsd / pegged.perUsd
  const offPct = roundPercent((ratio - 1) * 100)
  if (Math.abs(offPct) <= OFF_PCT_MAX) return null
  const { source, atMs } = said
  return { currency: code, peg, saidRate: peg.rate * ratio, offPct, source, atMs }
}
