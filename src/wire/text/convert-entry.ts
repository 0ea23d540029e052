import type { Conversion } from '~/service/convert.ts'
import { presentConversion } from '~/wire/convert.ts'
import { Piece } from './piece.ts'

export type Entry = {
  /** The JSON before the converted amount, which is the first sum. */
  readonly head: Piece
  /** The JSON before each further sum. */
  readonly between: readonly Piece[]
  /** The JSON after its last sum, with the comma behind the entry. */
  readonly tail: Piece
}

/** The zeros printed in the places of sums. No name can hold them, for its quotes are escaped. */
const BLANK = /(?<="(?:converted|net_converted|fee_pct|total_pct|total)":)0(?=[,}])/
const BLANK_OR_SPREAD =
  /(?<="(?:converted|net_converted|spread_bps|fee_pct|total_pct|total)":)0(?=[,}])/

export const around = (object: object | null, blank = BLANK): string[] =>
  JSON.stringify(object).split(blank)

/**
 * An entry whose first `sums` numbers are blanks, printed as zeros; with `isSpreadBlank` the spread
 * is one of them.
 */
export function entryOf(
  conversion: Conversion,
  { sums, isSpreadBlank }: { readonly sums: number; readonly isSpreadBlank: boolean },
): Entry {
  const parts = around(presentConversion(conversion, null), isSpreadBlank ? BLANK_OR_SPREAD : BLANK)
  const [head, ...between] = parts.slice(0, sums)
  const tail = parts.slice(sums).join('0')
  return {
    head: new Piece(head!),
    between: between.map((text) => new Piece(text)),
    tail: new Piece(`${tail},`),
  }
}
