import { USD } from './currency.ts'
import { hourStartMs } from './freshness.ts'
import type { Dated } from './quote.ts'

/** The ways in which feeds support a value, the weakest first. */
export const BASES = ['disputed', 'single', 'peg', 'consensus'] as const
export type Basis = (typeof BASES)[number]

/** The bases of a value that feeds published. */
export const FEED_BASES = ['consensus', 'single', 'disputed'] as const satisfies Basis[]
export type FeedBasis = (typeof FEED_BASES)[number]

/** Basis of a value. */
export type Backing = {
  /** `consensus`: two or more feeds agree; `single`: one is known; `disputed`: several disagree. */
  readonly basis: Basis
  /** Half the range of the values used, in basis points; null unless several were. */
  readonly dispersionBps: number | null
}

/**
 * Value of one US dollar in `currency`, as a feed published it at `atMs` (its `fetched_at`).
 * Without a basis one feed did.
 */
export type Reference = Dated &
  Partial<Backing> & {
    readonly currency: string
    readonly perUsd: number
    readonly source: string
  }

/** A reference to be recorded: units of the currency per US dollar as an exact decimal string. */
export type ReferenceRow = {
  readonly fetchedMs: number
  readonly source: string
  readonly currency: string
  readonly perUsd: string
}

/** The independent price of a pair: its feed or feeds, and the time of its staler leg. */
export type Mid = Backing & {
  readonly rate: number
  readonly source: string
  readonly atMs: number
}

/**
 * The mid of a pair crossed through the dollar: usd(to) / usd(from), usd(x) being units of x per
 * USD.
 *
 * The dollar itself needs no reference, so a pair with USD has one leg and that leg's source and
 * time. With two legs the time is that of the staler one, differing sources are joined by `+`, the
 * basis is that of the weaker one, and the dispersions add up.
 */
export function crossMid(from: Reference, to: Reference): Mid {
  if (from.currency === USD)
    return { rate: to.perUsd, source: to.source, atMs: to.atMs, ...backingOf(to) }
  if (to.currency === USD)
    return { rate: 1 / from.perUsd, source: from.source, atMs: from.atMs, ...backingOf(from) }
  return {
    rate: to.perUsd / from.perUsd,
    source: joinedSources([from.source, to.source]),
    atMs: Math.min(from.atMs, to.atMs),
    ...(isFixed(from, to) ? FIXED : backingOf(from, to)),
  }
}

/** Basis of a price of two currencies that follow one reference: it cancels out. */
const FIXED: Backing = { basis: 'peg', dispersionBps: null }

const isFixed = (from: Reference, to: Reference): boolean =>
  from.id === to.id && [from, to].some(({ source }) => isPeg(source))

function backingOf(...legs: readonly Reference[]): Backing {
  const bases = legs.map(({ basis = 'single' }) => basis)
  const basis = BASES.find((one) => bases.includes(one))!
  const isBacked = basis === 'consensus' || basis === 'peg'
  const moving = legs.filter((leg) => !isConstant(leg))
  const dispersions = moving.flatMap(({ dispersionBps }) => dispersionBps ?? [])
  const isKnown = isBacked && moving.length > 0 && dispersions.length === moving.length
  return { basis, dispersionBps: isKnown ? dispersions.reduce((sum, one) => sum + one) : null }
}

/** The distinct names in order of appearance, pegs before feeds, joined by `+`. */
export function joinedSources(sources: readonly string[]): string {
  const names = [...new Set(sources.flatMap((source) => source.split('+')))]
  const pegs = names.filter(isPeg)
  return [...pegs, ...names.filter((name) => !isPeg(name))].join('+')
}

/**
 * A reference or a mid with a time: one that holds at any time gets the top of the hour, so that it
 * looks the same throughout the hour.
 */
export const atSomeTime = <T extends Pick<Mid, 'atMs'>>(one: T, nowMs: number): T =>
  Number.isFinite(one.atMs) ? one : { ...one, atMs: hourStartMs(nowMs) }

/** Reports whether a mid comes from pegs alone, so that it holds at any time. */
export const isConstant = ({ source }: Pick<Mid, 'source'>): boolean =>
  source !== '' && source.split('+').every(isPeg)

const isPeg = (source: string): boolean => source.startsWith('peg:')
