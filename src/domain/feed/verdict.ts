import { agreementOf, independent, type Support } from './consensus.ts'
import { type GuardRules, isWithin } from './guard.ts'
import { roundedBeside } from './rounding.ts'

/** A valid response of one feed in one run: the currencies requested, units per USD as strings. */
export type FeedAnswer = {
  readonly feedId: string
  readonly source: string
  readonly origin: string
  readonly fetchedMs: number
  readonly upstreamMs: number
  readonly perUsd: ReadonlyMap<string, string>
}

/** A value awaiting a second opinion; the old one is in use. Plain data, saved between runs. */
export type HeldBack = {
  readonly currency: string
  readonly perUsd: string
  readonly source: string
  /** The time when the value was first fetched. */
  readonly sinceMs: number
  readonly upstreamMs: number
  /** The last accepted value, which stays in use. */
  readonly standing: number
  /** The feed that says, with rates at least as new, that nothing moved; null when none does. */
  readonly contradictedBy: string | null
}

/** Reason to believe a value: it did not move, was the first, or a second opinion confirmed it. */
type Ground = 'unmoved' | 'first' | 'second_feed' | 'second_fetch'

export type Acceptance = {
  readonly currency: string
  readonly perUsd: string
  /** The most preferred of the responses used. */
  readonly answer: FeedAnswer
  /** The responses that the value is computed from: several if they agree, else one. */
  readonly used: readonly FeedAnswer[]
  readonly ground: Ground
}

/** A response rejected as a whole: too much moved at once, or it was rounded. */
type Disbelief = {
  readonly answer: FeedAnswer
  /** The number of compared currencies that moved, or were rounded; one of both is 0. */
  readonly moved: number
  readonly rounded: number
  readonly compared: number
}

export type Verdict = {
  /** The values accepted, at most one for each currency. */
  readonly accepted: readonly Acceptance[]
  /** Every value that is held back from now on. */
  readonly held: readonly HeldBack[]
  readonly doubted: readonly Disbelief[]
  /** The number of feeds that support each value; empty in the mode `order`. */
  readonly support: readonly Support[]
  /** The currencies on which another feed could still change the verdict. */
  readonly open: readonly string[]
}

type Case = {
  /** The responses of this run, the preferred feed first. */
  readonly answers: readonly FeedAnswer[]
  readonly known: readonly string[]
  /** The values accepted last, in units per USD. */
  readonly standing: ReadonlyMap<string, number>
  /** The values that earlier runs held back. */
  readonly held: readonly HeldBack[]
  readonly rules: GuardRules
  readonly mode: ReferenceMode
}

/** Modes of combining feeds: those that agree are combined, or the first accepted counts. */
export const REFERENCE_MODES = ['consensus', 'order'] as const
export type ReferenceMode = (typeof REFERENCE_MODES)[number]

/**
 * Decides what to accept, hold back and doubt of a run's responses.
 *
 * A value near the current one is believed, and so is the first of a currency. A value that moved
 * beyond the bound is held back until a second opinion is near it: a feed of another origin in this
 * run, or any feed in the next - unless a feed of another origin, whose rates are at least as new,
 * says in one of the two that nothing moved. Of several feeds the preferred one's value is taken.
 *
 * A response in which more than `movedShareMax` of the currencies moved (at least three, or two
 * that are over half) is doubted: a market moves some currencies, a broken feed moves them all.
 * None of it counts, nor is any of it held back for a later run to confirm: a feed cannot lie its
 * way in by insisting. Only when every response of a run is doubted may two of different origin
 * vouch for each other; then the current values are wrong.
 *
 * In the mode `consensus` a response is doubted too if most of it is rounded to two digits and a
 * response of another origin is not. Feeds that agree confirm each other first, whatever moved, and
 * their median is taken; the rules for moves apply to values of a single feed or in dispute.
 *
 * The same case gives the same verdict, so a run may check after each response if it needs more.
 */
export function verdictOf(run: Case): Verdict {
  const doubted = run.answers
    .map((answer) => disbeliefOf(answer, run))
    .filter((disbelief) => !!disbelief)
  const isDoubted = (answer: FeedAnswer) => doubted.some((disbelief) => disbelief.answer === answer)
  const trusted = run.answers.filter((answer) => !isDoubted(answer))
  const witnesses = trusted.length > 0 ? trusted : run.answers
  const findings = run.known.map((currency) =>
    findingOf(run, { currency, witnesses, isTrusted: trusted.length > 0 }),
  )
  const accepted = findings.map(({ acceptance }) => acceptance).filter((found) => !!found)
  const settled = new Set(
    accepted.filter(({ ground }) => ground !== 'second_fetch').map(({ currency }) => currency),
  )
  return {
    accepted,
    held: findings.map(({ held }) => held).filter((value) => !!value),
    doubted,
    support: findings.map(({ support }) => support).filter((known) => !!known),
    open: run.known.filter((currency) => !settled.has(currency)),
  }
}

function disbeliefOf(
  answer: FeedAnswer,
  { answers, standing, rules, known, mode }: Case,
): Disbelief | null {
  let moved = 0
  let compared = 0
  for (const currency of known) {
    const before = standing.get(currency)
    const text = answer.perUsd.get(currency)
    if (before === undefined || text === undefined) continue
    compared++
    if (!isWithin(Number(text), before, boundOf(currency, rules))) moved++
  }
  const isMany = moved >= 3 && moved > compared * rules.movedShareMax
  const isMost = moved >= 2 && moved * 2 > compared
  if (isMany || isMost) return { answer, moved, rounded: 0, compared }
  const others = answers.filter(({ origin }) => origin !== answer.origin)
  const rounded = mode === 'consensus' ? roundedBeside(answer, others) : 0
  return rounded > 0 ? { answer, moved: 0, rounded, compared: answer.perUsd.size } : null
}

type Claim = {
  readonly answer: FeedAnswer
  readonly text: string
  readonly value: number
  readonly isUnmoved: boolean
}

type Question = {
  readonly currency: string
  readonly witnesses: readonly FeedAnswer[]
  readonly isTrusted: boolean
}

type Finding = {
  readonly acceptance: Acceptance | null
  readonly held: HeldBack | null
  readonly support?: Support
}

function findingOf(run: Case, question: Question): Finding {
  const { currency, witnesses } = question
  const standing = run.standing.get(currency)
  const isUnmoved = (value: number) =>
    standing === undefined || isWithin(value, standing, boundOf(currency, run.rules))
  const claims = claimsOf(currency, witnesses, isUnmoved)
  if (run.mode === 'order' || claims.length === 0) return preferredOf(run, question, claims)
  const agreement = agreementOf(claims)
  const others = independent(claims)
  if (!agreement) {
    const finding = preferredOf(run, question, claims)
    const isDisputed = others.length > 1
    const unused = others.filter(({ answer }) => answer !== finding.acceptance?.answer)
    const support = supportOf(currency, {
      basis: isDisputed ? 'disputed' : 'single',
      dispersionBps: null,
      left: isDisputed ? unused : [],
    })
    return { ...finding, support }
  }
  const { text, used, dispersionBps } = agreement
  const unmovedGround = standing === undefined ? 'first' : 'unmoved'
  const acceptance = {
    currency,
    perUsd: text,
    answer: used[0]!.answer,
    used: used.map(({ answer }) => answer),
    ground: isUnmoved(Number(text)) ? unmovedGround : 'second_feed',
  } as const
  const left = others.filter((claim) => !used.includes(claim))
  const support = supportOf(currency, { basis: 'consensus', dispersionBps, left })
  return { acceptance, held: null, support }
}

const supportOf = (
  currency: string,
  { left, ...support }: Pick<Support, 'basis' | 'dispersionBps'> & { left: readonly Claim[] },
): Support => ({
  currency,
  ...support,
  left: left.map(({ answer, text }) => ({ source: answer.source, perUsd: text })),
})

/** Accepted and held back values of the preferred feed. */
function preferredOf(
  run: Case,
  { currency, isTrusted }: Question,
  claims: readonly Claim[],
): Finding {
  const standing = run.standing.get(currency)
  const bound = boundOf(currency, run.rules)
  const earlier = run.held.find((held) => held.currency === currency) ?? null
  const groundOf = (claim: Claim): Ground | null => {
    const isSeconded = claims.some(
      (other) => isOther(other, claim) && isWithin(other.value, claim.value, bound),
    )
    if (!isTrusted) return isSeconded ? 'second_feed' : null
    if (claim.isUnmoved) return standing === undefined ? 'first' : 'unmoved'
    if (isSeconded) return 'second_feed'
    const isRepeated = earlier !== null && isWithin(Number(earlier.perUsd), claim.value, bound)
    const isDisputed = earlier?.contradictedBy != null || contradiction(claim, claims)
    return isRepeated && !isDisputed ? 'second_fetch' : null
  }
  const grounds = claims.map((claim) => ({ claim, ground: groundOf(claim) }))
  const found = grounds.find(({ ground }) => ground !== null)
  const acceptance = found
    ? {
        currency,
        perUsd: found.claim.text,
        answer: found.claim.answer,
        used: [found.claim.answer],
        ground: found.ground!,
      }
    : null
  if (!isTrusted || claims.length === 0) return { acceptance, held: acceptance ? null : earlier }
  const doubtful = claims.find((claim) => !claim.isUnmoved)
  const isOver = !doubtful || (acceptance !== null && acceptance.ground !== 'unmoved')
  if (isOver) return { acceptance, held: null }
  return { acceptance, held: heldOf({ currency, claim: doubtful, claims, earlier }, run) }
}

function claimsOf(
  currency: string,
  witnesses: readonly FeedAnswer[],
  isUnmoved: (value: number) => boolean,
): Claim[] {
  return witnesses.flatMap((answer) => {
    const text = answer.perUsd.get(currency)
    if (text === undefined) return []
    const value = Number(text)
    return [{ answer, text, value, isUnmoved: isUnmoved(value) }]
  })
}

type Holding = {
  readonly currency: string
  readonly claim: Claim
  readonly claims: readonly Claim[]
  readonly earlier: HeldBack | null
}

function heldOf({ currency, claim, claims, earlier }: Holding, run: Case): HeldBack {
  const bound = boundOf(currency, run.rules)
  const isSame = earlier !== null && isWithin(Number(earlier.perUsd), claim.value, bound)
  return {
    currency,
    perUsd: claim.text,
    source: claim.answer.source,
    sinceMs: isSame ? earlier.sinceMs : claim.answer.fetchedMs,
    upstreamMs: claim.answer.upstreamMs,
    standing: run.standing.get(currency)!,
    contradictedBy: contradiction(claim, claims)?.answer.source ?? null,
  }
}

const contradiction = (claim: Claim, claims: readonly Claim[]): Claim | undefined =>
  claims.find(
    (other) =>
      other.isUnmoved &&
      isOther(other, claim) &&
      other.answer.upstreamMs >= claim.answer.upstreamMs,
  )

const isOther = (a: Claim, b: Claim): boolean => a.answer.origin !== b.answer.origin

const boundOf = (currency: string, { moveMax, moveMaxOf }: GuardRules): number =>
  moveMaxOf[currency] ?? moveMax
