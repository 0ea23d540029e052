import type { Freshness } from '~/domain/freshness.ts'
import type { Backing } from '~/domain/mid.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'
import type { Matrix, Pair } from '~/service/fetch.ts'
import { matrixNote, presentBest } from '~/wire/fetch.ts'
import { freshnessText, iso } from '~/wire/present.ts'

/** Each best quote and each mid is written once. Cache 7 of a read, see docs/architecture.md. */
const bests = new WeakMap<AgedQuote, string>()
const mids = new WeakMap<Backing, string>()

/** The JSON of `presentFetchOne`, byte for byte. */
export const fetchOneText = (matrix: Matrix, freshness: Freshness): string =>
  `{"base":"${matrix.bases[0]}","quote":"${matrix.quotes[0]}",${membersOf(
    matrix.pairs[0]![0]!,
  )}${tailOf(matrix, freshness)}`

/** The JSON of `presentFetchMulti`, byte for byte. */
export const fetchMultiText = (matrix: Matrix, freshness: Freshness): string =>
  `{"base":"${matrix.bases[0]}","results":${rowText(matrix.quotes, matrix.pairs[0]!)},"count":${
    matrix.quotes.length
  }${tailOf(matrix, freshness)}`

/** The JSON of `presentFetchManyToOne`, byte for byte. */
export function fetchManyToOneText(matrix: Matrix, freshness: Freshness): string {
  const column = matrix.pairs.map((row) => row[0]!)
  return `{"quote":"${matrix.quotes[0]}","results":${rowText(matrix.bases, column)},"count":${
    matrix.bases.length
  }${tailOf(matrix, freshness)}`
}

/** The JSON of `presentFetchMatrix`, byte for byte. */
export function fetchMatrixText(matrix: Matrix, freshness: Freshness): string {
  const { bases, quotes, pairs } = matrix
  let rows = ''
  for (const [i, base] of bases.entries())
    rows += `${i === 0 ? '' : ','}"${base}":${rowText(quotes, pairs[i]!)}`
  const codes = `"bases":${JSON.stringify(bases)},"quotes":${JSON.stringify(quotes)}`
  return `{${codes},"results":{${rows}}${tailOf(matrix, freshness)}`
}

function rowText(codes: readonly string[], pairs: readonly Pair[]): string {
  let members = ''
  for (let i = 0; i < codes.length; i++)
    members += `${i === 0 ? '' : ','}"${codes[i]}":{${membersOf(pairs[i]!)}}`
  return `{${members}}`
}

function membersOf({ mid, backing, best }: Pair): string {
  const bestMember = `"provider_best":${best === null ? 'null' : bestText(best)}`
  if (mid === null) return bestMember
  return backing ? midText(mid, backing) + bestMember : `"mid":${roundAmount(mid)},${bestMember}`
}

/** The JSON of a mid; `backing` is the mid itself. */
function midText(rate: number, backing: Backing): string {
  const known = mids.get(backing)
  if (known !== undefined) return known
  const { basis, dispersionBps } = backing
  const dispersion = dispersionBps === null ? '' : `"dispersion_bps":${roundBps(dispersionBps)},`
  const text = `"mid":${roundAmount(rate)},"basis":"${basis}",${dispersion}`
  mids.set(backing, text)
  return text
}

function bestText(quote: AgedQuote): string {
  const known = bests.get(quote)
  if (known !== undefined) return known
  const text = JSON.stringify(presentBest(quote))
  bests.set(quote, text)
  return text
}

function tailOf(matrix: Matrix, freshness: Freshness): string {
  const { reference } = matrix
  let members = ','
  if (reference)
    members += `"source":${JSON.stringify(reference.source)},"fetched_at":"${iso(reference.atMs)}",`
  const note = matrixNote(matrix)
  if (note !== null) members += `"note":"${note}",`
  return members + freshnessText(freshness)
}
