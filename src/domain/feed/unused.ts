import type { FeedAnswer, Verdict } from './verdict.ts'

/**
 * The reason why a feed's value is not part of the reference: its whole response was doubted; it
 * republishes a feed that counts; it lies too far from those that agree; several feeds disagree; it
 * moved too far and waits to be confirmed; or another feed is preferred.
 */
export const UNUSED_REASONS = [
  'doubted',
  'same_origin',
  'too_far',
  'disputed',
  'held_back',
  'not_preferred',
] as const

export type UnusedReason = (typeof UNUSED_REASONS)[number]

/** The last response of a feed before a time. */
export type FeedAnswered = {
  readonly feed: string
  /** The feed's value of the currency; null if it gave none. */
  readonly perUsd: number | null
  readonly unused: UnusedReason | null
  /** The time when the run began; the responses of one run share it. */
  readonly ranMs: number
  readonly fetchedMs: number
  readonly upstreamMs: number
  /** The time when it was recorded; null if unknown. */
  readonly recordedMs: number | null
}

/** A valid response of a feed, and the reasons why its values are not used, by currency. */
export type EvaluatedAnswer = FeedAnswer & { readonly unused: ReadonlyMap<string, UnusedReason> }

/** Returns a response with the reason for each of its values that a verdict does not use. */
export function evaluatedAnswer(answer: FeedAnswer, verdict: Verdict): EvaluatedAnswer {
  const usedOf = new Map(verdict.accepted.map(({ currency, used }) => [currency, used]))
  const basisOf = new Map(verdict.support.map(({ currency, basis }) => [currency, basis]))
  const held = new Set(verdict.held.map(({ currency }) => currency))
  const isDoubted = verdict.doubted.some((doubt) => doubt.answer === answer)
  const reasonFor = (currency: string): UnusedReason | null => {
    const used = usedOf.get(currency) ?? []
    if (used.includes(answer)) return null
    if (isDoubted) return 'doubted'
    if (used.some(({ origin }) => origin === answer.origin)) return 'same_origin'
    const basis = basisOf.get(currency)
    if (basis === 'disputed') return 'disputed'
    if (basis === 'consensus') return 'too_far'
    return held.has(currency) ? 'held_back' : 'not_preferred'
  }
  const unused = new Map<string, UnusedReason>()
  for (const currency of answer.perUsd.keys()) {
    const reason = reasonFor(currency)
    if (reason !== null) unused.set(currency, reason)
  }
  return { ...answer, unused }
}
