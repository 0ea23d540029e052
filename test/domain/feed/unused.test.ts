import { describe, expect, test } from 'bun:test'
import { GUARD_RULES } from '~/domain/feed/guard.ts'
import { evaluatedAnswer } from '~/domain/feed/unused.ts'
import { type FeedAnswer, type ReferenceMode, verdictOf } from '~/domain/feed/verdict.ts'

const STANDING = { EUR: 0.9, KES: 130, NGN: 1600 }

const said = (source: string, rates: object, origin = source): FeedAnswer => ({
  ...{ feedId: source, source, origin, fetchedMs: 2, upstreamMs: 1 },
  perUsd: new Map(Object.entries({ ...STANDING, ...rates }).map(([code, x]) => [code, String(x)])),
})

/** Why the values of each response are not used, by currency. */
function unused(answers: readonly FeedAnswer[], mode: ReferenceMode = 'consensus') {
  const standing = new Map(Object.entries(STANDING))
  const known = [...standing.keys()]
  const verdict = verdictOf({ answers, known, standing, held: [], rules: GUARD_RULES, mode })
  return answers.map(
    (answer): Record<string, string> => Object.fromEntries(evaluatedAnswer(answer, verdict).unused),
  )
}

describe('evaluatedAnswer', () => {
  test('gives no reason for values that are used', () => {
    expect(unused([said('a', {}), said('b', {}), said('c', {})])).toEqual([{}, {}, {}])
    expect(unused([said('a', {})], 'order')).toEqual([{}])
  })

  test('gives doubted as the reason for every value of a doubted response', () => {
    const broken = said('b', { EUR: 9, KES: 1300, NGN: 16_000 })
    const all = { EUR: 'doubted', KES: 'doubted', NGN: 'doubted' }
    expect(unused([said('a', {}), broken])).toEqual([{}, all])
    const other = said('c', { KES: 150 })
    expect(unused([said('a', {}), broken, other])).toEqual([{}, all, { KES: 'disputed' }])
    expect(unused([said('a', {}), broken], 'order')).toEqual([{}, all])
  })

  test('gives same_origin for every value of a feed that republishes a used feed', () => {
    const all = { EUR: 'same_origin', KES: 'same_origin', NGN: 'same_origin' }
    const answers = [said('a', {}), said('b', {}), said('copy', {}, 'a')]
    expect(unused(answers)).toEqual([{}, {}, all])
  })

  test('gives too_far for a value far from those that agree, whatever else its feed publishes', () => {
    const answers = [said('a', {}), said('b', {}), said('c', { KES: 150 })]
    expect(unused(answers)).toEqual([{}, {}, { KES: 'too_far' }])
  })

  test('gives disputed for a value on which feeds disagree', () => {
    expect(unused([said('a', {}), said('b', { KES: 140 })])).toEqual([{}, { KES: 'disputed' }])
  })

  test('gives the held back state of a value that moved too far, or the feed preferred to it', () => {
    expect(unused([said('a', { KES: 200 })], 'order')).toEqual([{ KES: 'held_back' }])
    const all = { EUR: 'not_preferred', KES: 'not_preferred', NGN: 'not_preferred' }
    expect(unused([said('a', {}), said('b', {})], 'order')).toEqual([{}, all])
  })
})
