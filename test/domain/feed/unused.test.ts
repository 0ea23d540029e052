import { describe, expect, test } from 'bun:test'
import { GUARD_RULES } from '~/domain/feed/guard.ts'
import { judgedAnswer } from '~/domain/feed/unused.ts'
import { type FeedAnswer, type ReferenceMode, verdictOf } from '~/domain/feed/verdict.ts'

const STANDING = { EUR: 0.9, KES: 130, NGN: 1600 }

const said = (source: string, rates: object, origin = source): FeedAnswer => ({
  ...{ feedId: source, source, origin, fetchedMs: 2, upstreamMs: 1 },
  perUsd: new Map(Object.entries({ ...STANDING, ...rates }).map(([code, x]) => [code, String(x)])),
})

/** Why the values of each answer are not used, by currency. */
function unused(answers: readonly FeedAnswer[], mode: ReferenceMode = 'consensus') {
  const standing = new Map(Object.entries(STANDING))
  const known = [...standing.keys()]
  const verdict = verdictOf({ answers, known, standing, held: [], rules: GUARD_RULES, mode })
  return answers.map(
    (answer): Record<string, string> => Object.fromEntries(judgedAnswer(answer, verdict).unused),
  )
}

describe('judgedAnswer', () => {
  test('has no reason for values that are used', () => {
    expect(unused([said('a', {}), said('b', {}), said('c', {})])).toEqual([{}, {}, {}])
    expect(unused([said('a', {})], 'order')).toEqual([{}])
  })

  test('a doubted answer has that reason for all of its values', () => {
    const broken = said('b', { EUR: 9, KES: 1300, NGN: 16_000 })
    const all = { EUR: 'doubted', KES: 'doubted', NGN: 'doubted' }
    expect(unused([said('a', {}), broken])).toEqual([{}, all])
    const other = said('c', { KES: 150 })
    expect(unused([said('a', {}), broken, other])).toEqual([{}, all, { KES: 'disputed' }])
    expect(unused([said('a', {}), broken], 'order')).toEqual([{}, all])
  })

  test('a feed that republishes one that counts is of the same origin', () => {
    const all = { EUR: 'same_origin', KES: 'same_origin', NGN: 'same_origin' }
    const answers = [said('a', {}), said('b', {}), said('copy', {}, 'a')]
    expect(unused(answers)).toEqual([{}, {}, all])
  })

  test('a value far from those that agree is too far, whatever else its feed says', () => {
    const answers = [said('a', {}), said('b', {}), said('c', { KES: 150 })]
    expect(unused(answers)).toEqual([{}, {}, { KES: 'too_far' }])
  })

  test('feeds that disagree dispute a value', () => {
    expect(unused([said('a', {}), said('b', { KES: 140 })])).toEqual([{}, { KES: 'disputed' }])
  })

  test('a value that moved too far is held back, and another feed may be preferred', () => {
    expect(unused([said('a', { KES: 200 })], 'order')).toEqual([{ KES: 'held_back' }])
    const all = { EUR: 'not_preferred', KES: 'not_preferred', NGN: 'not_preferred' }
    expect(unused([said('a', {}), said('b', {})], 'order')).toEqual([{}, all])
  })
})
