import type { Reply, Truth } from './question.ts'

export const VERDICTS = [
  'right',
  'partly',
  'declined rightly',
  'declined wrongly',
  'wrong',
] as const
export type Verdict = (typeof VERDICTS)[number]

/** Score of a reply: a point for each claim that is right, two less for a wrong number. */
export type Score = { readonly verdict: Verdict; readonly points: number }

/** Relative error that a number may have. */
const OFF_MAX = 0.001
/** Percentages are shown with six decimals, of which two may be subtracted. */
const SHOWN = 2e-6
const WRONG_FIGURE = -2

/** Compares a reply with the truth, claim by claim. */
export function scoreOf(truth: Truth, reply: Reply): Score {
  if (truth.isUnknowable)
    return reply.isDeclined
      ? { verdict: 'declined rightly', points: 1 }
      : { verdict: 'wrong', points: WRONG_FIGURE }
  if (reply.isDeclined) return { verdict: 'declined wrongly', points: 0 }
  const claims: (boolean | null)[] = []
  let points = 0
  if (truth.figure !== undefined) {
    const isRight = reply.figure === null ? null : isNear(reply.figure, truth.figure)
    if (isRight === false) points += WRONG_FIGURE
    claims.push(isRight)
  }
  if (truth.names) claims.push(reply.name === null ? null : truth.names.includes(reply.name))
  if (truth.list) claims.push(reply.list.join() === truth.list.join())
  if (truth.date !== undefined) claims.push(reply.date === null ? null : reply.date === truth.date)
  for (const caveat of truth.caveats) claims.push(reply.caveats.includes(caveat) ? true : null)
  points += claims.filter((one) => one === true).length
  if (claims.includes(false)) return { verdict: 'wrong', points }
  return { verdict: claims.includes(null) ? 'partly' : 'right', points }
}

const isNear = (figure: number, right: number): boolean =>
  Math.abs(figure - right) <= Math.max(Math.abs(right) * OFF_MAX, SHOWN)
