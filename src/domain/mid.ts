import { USD } from './currency.ts'
import { hourStartMs } from './freshness.ts'
import type { Dated } from './quote.ts'

/** What one US dollar was worth in `currency`, as a feed said it at `atMs` (its `fetched_at`). */
export type Reference = Dated & {
  readonly currency: string
  readonly perUsd: number
  readonly source: string
}

/** A reference to be recorded: units of the currency per US dollar as exact decimal text. */
export type ReferenceRow = {
  readonly fetchedMs: number
  readonly source: string
  readonly currency: string
  readonly perUsd: string
}

/** The independent price of a pair: its feed or feeds, and the time of its staler leg. */
export type Mid = { readonly rate: number; readonly source: string; readonly atMs: number }

/**
 * The mid of a pair crossed through the dollar: usd(to) / usd(from), usd(x) being units of x per
 * USD.
 *
 * The dollar itself needs no reference, so a pair with USD has one leg and that leg's source and
 * time. With two legs the time is that of the staler one, and differing sources are joined by `+`.
 */
export function crossMid(from: Reference, to: Reference): Mid {
  if (from.currency === USD) return { rate: to.perUsd, source: to.source, atMs: to.atMs }
  if (to.currency === USD) return { rate: 1 / from.perUsd, source: from.source, atMs: from.atMs }
  return {
    rate: to.perUsd / from.perUsd,
    source: joinedSources([from.source, to.source]),
    atMs: Math.min(from.atMs, to.atMs),
  }
}

/** The distinct names in order of appearance, pegs before feeds, joined by `+`. */
export function joinedSources(sources: readonly string[]): string {
  const names = [...new Set(sources.flatMap((source) => source.split('+')))]
  const pegs = names.filter(isPeg)
  return [...pegs, ...names.filter((name) => !isPeg(name))].join('+')
}

/**
 * A reference or a mid with a time: one that holds at any moment is of the top of the hour, so that
 * what is shown stays the same in it.
 */
export const atSomeTime = <T extends Pick<Mid, 'atMs'>>(one: T, nowMs: number): T =>
  Number.isFinite(one.atMs) ? one : { ...one, atMs: hourStartMs(nowMs) }

/** Whether pegs alone make a mid, so that it holds at any moment. */
export const isConstant = ({ source }: Pick<Mid, 'source'>): boolean =>
  source !== '' && source.split('+').every(isPeg)

const isPeg = (source: string): boolean => source.startsWith('peg:')
