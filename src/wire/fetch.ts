import { type Static, Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import { roundAmount } from '~/domain/round.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'
import type { Matrix, Pair, Unpriced } from '~/service/fetch.ts'
import {
  ageFields,
  backingFields,
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  optional,
  standingFields,
} from './fields.ts'
import { knownFields } from './known/known.ts'
import { presentNote, stalePairsNote, tooOldPairsNote } from './note.ts'
import { offerFields, presentOffer } from './offer/offer.ts'
import { iso, presentAge, presentBacking, presentFreshness } from './present.ts'

const pairFields = {
  mid: optional.number({
    description: 'Absent where a currency of the pair has no recent reference.',
  }),
  basis: Type.Optional(backingFields.basis),
  dispersion_bps: backingFields.dispersion_bps,
  provider_best: nullable.record({
    rate: Type.Number(),
    provider_id: Type.String(),
    ...ageFields,
    evidence: standingFields.evidence,
    ...offerFields,
  }),
}

const PairValue = namedRecord('PairValue', pairFields)

const referenceFields = {
  source: optional.string({ description: 'Reference feed; absent without any mid.' }),
  fetched_at: Type.Optional(Instant),
}

const tail = {
  ...referenceFields,
  note: optional.string({
    description:
      'Which currencies leave pairs without a mid, and when each last had one; which best ' +
      'prices are stale; and which pairs have only prices older than max_age.',
  }),
  ...freshnessFields,
  ...knownFields,
}

export const FetchOneResponse = namedRecord('FetchOneResponse', {
  base: Type.String(),
  quote: Type.String(),
  ...pairFields,
  ...tail,
})

export const FetchMultiResponse = namedRecord('FetchMultiResponse', {
  base: Type.String(),
  results: Type.Record(Type.String(), PairValue),
  count: Type.Integer(),
  ...tail,
})

export const FetchManyToOneResponse = namedRecord('FetchManyToOneResponse', {
  quote: Type.String(),
  results: Type.Record(Type.String(), PairValue),
  count: Type.Integer(),
  ...tail,
})

export const FetchMatrixResponse = namedRecord('FetchMatrixResponse', {
  bases: Type.Array(Type.String()),
  quotes: Type.Array(Type.String()),
  results: Type.Record(Type.String(), Type.Record(Type.String(), PairValue)),
  ...tail,
})

export const presentBest = (aged: AgedQuote) => ({
  rate: roundAmount(aged.quote.rate),
  provider_id: aged.quote.providerId,
  ...presentAge(aged),
  evidence: aged.quote.evidence,
  ...presentOffer(aged.quote),
})

function presentPair({ mid, backing, best }: Pair): Static<typeof PairValue> {
  return {
    ...(mid !== null && { mid: roundAmount(mid) }),
    ...(backing && presentBacking(backing)),
    provider_best: best && presentBest(best),
  }
}

/** A note on what is missing or too old in the pairs; null if nothing is. */
export function matrixNote({ unpriced, stale, tooOld }: Matrix): string | null {
  if (unpriced.length + stale.length + tooOld.length === 0) return null
  return [
    ...(unpriced.length > 0 ? [unpricedNote(unpriced)] : []),
    ...(stale.length > 0 ? [stalePairsNote(stale)] : []),
    ...(tooOld.length > 0 ? [tooOldPairsNote(tooOld)] : []),
  ].join(' ')
}

/** Names the currencies without a mid, with reasons; there is at least one. */
function unpricedNote(unpriced: Matrix['unpriced']): string {
  const codes = unpriced.map(({ code }) => code)
  return `There is no mid for pairs with ${codes.join(', ')}: ${unpriced.map(reason).join('; ')}.`
}

function reason({ code, isStablecoin, lastMs }: Unpriced): string {
  if (isStablecoin) return `${code} is a stablecoin, which no reference feed covers`
  if (lastMs === null) return `no reference feed has covered ${code} so far`
  return `the last reference for ${code} is of ${iso(lastMs)}, which is too old`
}

/** The closing fields of every response of the fetch family. */
const presentTail = (matrix: Matrix, freshness: Freshness) => ({
  ...(matrix.reference && {
    source: matrix.reference.source,
    fetched_at: iso(matrix.reference.atMs),
  }),
  ...presentNote(matrixNote(matrix)),
  ...presentFreshness(freshness),
})

const presentRow = (codes: readonly string[], pairs: readonly Pair[]) =>
  Object.fromEntries(codes.map((code, i) => [code, presentPair(pairs[i]!)]))

export function presentFetchOne(
  matrix: Matrix,
  freshness: Freshness,
): Static<typeof FetchOneResponse> {
  return {
    base: matrix.bases[0]!,
    quote: matrix.quotes[0]!,
    ...presentPair(matrix.pairs[0]![0]!),
    ...presentTail(matrix, freshness),
  }
}

export function presentFetchMulti(
  matrix: Matrix,
  freshness: Freshness,
): Static<typeof FetchMultiResponse> {
  return {
    base: matrix.bases[0]!,
    results: presentRow(matrix.quotes, matrix.pairs[0]!),
    count: matrix.quotes.length,
    ...presentTail(matrix, freshness),
  }
}

export function presentFetchManyToOne(
  matrix: Matrix,
  freshness: Freshness,
): Static<typeof FetchManyToOneResponse> {
  return {
    quote: matrix.quotes[0]!,
    results: presentRow(
      matrix.bases,
      matrix.pairs.map((row) => row[0]!),
    ),
    count: matrix.bases.length,
    ...presentTail(matrix, freshness),
  }
}

export function presentFetchMatrix(
  matrix: Matrix,
  freshness: Freshness,
): Static<typeof FetchMatrixResponse> {
  const { bases, quotes, pairs } = matrix
  return {
    bases: [...bases],
    quotes: [...quotes],
    results: Object.fromEntries(bases.map((base, i) => [base, presentRow(quotes, pairs[i]!)])),
    ...presentTail(matrix, freshness),
  }
}
