import { currencyCode, USD } from '~/domain/currency.ts'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { ReferenceAnswer } from './feed.ts'

/** The checks that a response must pass before it becomes a mid. Shares and moves are fractions. */
export type GuardRules = {
  /** The largest move since the last accepted value that needs no second opinion. */
  readonly moveMax: number
  /** The largest move for single currencies that are known to jump, or not to. */
  readonly moveMaxOf: Readonly<Record<string, number>>
  /** Share of values that moved too far above which the response is doubted, not the market. */
  readonly movedShareMax: number
  /** The smallest share of the known currencies that makes a response a snapshot. */
  readonly knownShareMin: number
  /** Time by which the upstream's clock may be ahead of ours. */
  readonly futureMaxMs: number
  /** The upstream age at which rates are too old; at Easter the ECB rests five days. */
  readonly upstreamAgeMaxMs: number
}

export const GUARD_RULES: GuardRules = {
  moveMax: 0.2,
  moveMaxOf: {},
  movedShareMax: 0.25,
  knownShareMin: 0.5,
  futureMaxMs: 15 * MINUTE_MS,
  upstreamAgeMaxMs: 7 * DAY_MS,
}

/**
 * Rules that let every move pass, for an operator who vouches for the response. The numbers of one
 * response must still agree with each other.
 */
export const trustingRules = (rules: GuardRules): GuardRules => ({
  ...rules,
  moveMax: Number.POSITIVE_INFINITY,
  moveMaxOf: {},
})

/**
 * Currencies pegged to the dollar for decades, which show that numbers are per dollar without an
 * earlier response to compare with.
 */
const PEGS: Readonly<Record<string, number>> = {
  AED: 3.6725,
  BHD: 0.376,
  DJF: 177.721,
  HKD: 7.8,
  OMR: 0.3845,
  QAR: 3.64,
  SAR: 3.75,
}
const PEG_MOVE_MAX = 0.05

const PER_USD_MIN = 1e-12
const PER_USD_MAX = 1e12
const PER_USD_TEXT = /^\d{1,60}(\.\d{1,60})?$/

type Questioned = {
  readonly answer: ReferenceAnswer
  /** The currencies that the service uses. */
  readonly known: readonly string[]
  /** The currencies that the feed publishes at all; null for about every currency. */
  readonly published: readonly string[] | null
  /** Says whether the feed only has to fill gaps, so that its response may be short. */
  readonly isFiller: boolean
  readonly nowMs: number
  readonly rules: GuardRules
}

/**
 * The first reason to reject a whole response, or null.
 *
 * The string continues a sentence that begins with the feed's name. Currencies that were not
 * requested are not checked, except those pegged to the dollar: when most of them are off, the
 * numbers are not per dollar, whatever base the response names.
 */
export function answerFault(questioned: Questioned): string | null {
  return (
    baseFault(questioned.answer) ??
    timeFault(questioned) ??
    numberFault(questioned) ??
    pegFault(questioned.answer) ??
    shareFault(questioned)
  )
}

function baseFault({ base, perUsd }: ReferenceAnswer): string | null {
  if (base !== USD) return `has prices per ${currencyCode(base) ?? 'something else'}, not per USD`
  const usd = perUsd.get(USD)
  return usd === undefined || Number(usd) === 1 ? null : 'says that a dollar is not one dollar'
}

function timeFault({ answer: { upstreamMs }, nowMs, rules }: Questioned): string | null {
  if (!Number.isSafeInteger(upstreamMs)) return 'gives no time that can be understood'
  if (upstreamMs > nowMs + rules.futureMaxMs) return 'dates its rates in the future'
  if (upstreamMs < nowMs - rules.upstreamAgeMaxMs) {
    const days = Math.floor((nowMs - upstreamMs) / DAY_MS)
    return `gives rates that are ${days} days old by its own date`
  }
  return null
}

function numberFault({ answer, known }: Questioned): string | null {
  for (const currency of known) {
    const text = answer.perUsd.get(currency)
    if (text === undefined) continue
    const value = Number(text)
    const isSane = PER_USD_TEXT.test(text) && value >= PER_USD_MIN && value <= PER_USD_MAX
    if (!isSane) return `gives a number for ${currency} that is not a valid price`
  }
  return null
}

export function pegFault({ perUsd }: Pick<ReferenceAnswer, 'perUsd'>): string | null {
  const held = Object.keys(PEGS).filter((currency) => perUsd.has(currency))
  const off = held.filter(
    (currency) => !isWithin(Number(perUsd.get(currency)), PEGS[currency]!, PEG_MOVE_MAX),
  )
  if (off.length < 2 || off.length * 2 <= held.length) return null
  return `gives ${off.join(', ')} far from their pegs: its numbers are not per USD`
}

function shareFault({ answer, known, published, isFiller, rules }: Questioned): string | null {
  const due = published ? known.filter((currency) => published.includes(currency)) : known
  const count = due.filter((currency) => answer.perUsd.has(currency)).length
  if (count === 0) return 'has none of the requested currencies'
  if (isFiller || count >= due.length * rules.knownShareMin) return null
  return `has only ${count} of ${due.length} currencies`
}

/** Reports whether the larger of two positive values is at most 1 + `moveMax` times the smaller. */
export function isWithin(a: number, b: number, moveMax: number): boolean {
  return Math.max(a, b) <= Math.min(a, b) * (1 + moveMax) * ROUNDING
}

/** Lets a move of exactly the bound pass, however its double came out. */
const ROUNDING = 1 + 1e-12
