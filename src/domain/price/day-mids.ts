import { thirdFeeCurrency } from '~/domain/convert.ts'
import { USD } from '~/domain/currency.ts'
import { crossMid, type Mid, type Reference } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import { type Anchors, DOLLAR } from './anchors.ts'

/** A request for a currency's newest reference at a time; `USD` means any currency's. */
export type Probe = { readonly currency: string; readonly atMs: number }

/** The times at which each currency is probed. */
export type Moments = ReadonlyMap<string, ReadonlySet<number>>

/** Result of a probe; null if there was no reference yet. */
export type ProbeAnswer = Probe & { readonly reference: Reference | null }

/** Mids that a quote is compared with: those of the time it took effect. */
export type DayMids = {
  /** The pair's mid; null if there was no recent one. */
  readonly midAtQuote: Mid | null
  /**
   * Units of the source currency for one of a third currency that the fee is charged in; null if
   * there is no such fee, or was no recent mid.
   */
  readonly feeMidAtQuote: number | null
}

/** The currencies whose references price these, once each; the dollar's pegs need none. */
export function legsOf(codes: readonly string[], anchors: Anchors): string[] {
  const legs = codes.flatMap((code) => legOf(code, anchors) ?? [])
  return [...new Set(legs)]
}

const legOf = (code: string, anchors: Anchors): string | undefined => {
  const leg = anchors.of(code)
  return leg === USD ? undefined : leg
}

const newSet = () => new Set<number>()

/** The probes that `dayMidsOf` takes for these quotes. */
export function momentsOf(quotes: Iterable<Quote>, anchors: Anchors): Moments {
  const moments = new Map<string, Set<number>>()
  const add = (code: string, atMs: number) => {
    const currency = legOf(code, anchors)
    if (currency !== undefined) moments.getOrInsertComputed(currency, newSet).add(atMs)
  }
  for (const quote of quotes) {
    add(quote.from, quote.atMs)
    add(quote.to, quote.atMs)
    const feeCurrency = thirdFeeCurrency(quote)
    if (feeCurrency !== null) add(feeCurrency, quote.atMs)
  }
  return moments
}

/** Each probe by itself. */
export const probesOf = (moments: Moments): Probe[] =>
  [...moments].flatMap(([currency, all]) => Array.from(all, (atMs) => ({ currency, atMs })))

export type Day = {
  readonly anchors: Anchors
  /** Result of a probe; undefined if it found nothing, or was not run. */
  readonly referenceAt: (probe: Probe) => Reference | undefined
  /** The age up to which a reference counts as recent. */
  readonly maxAgeMs: number
}

/** The mids at the time a quote took effect. */
export function dayMidsOf(quote: Quote, day: Day): DayMids {
  const feeCurrency = thirdFeeCurrency(quote)
  return {
    midAtQuote: midAt(quote.atMs, [quote.from, quote.to], day),
    feeMidAtQuote:
      feeCurrency === null
        ? null
        : (midAt(quote.atMs, [feeCurrency, quote.from], day)?.rate ?? null),
  }
}

/**
 * The mid of a pair at a time; null without a recent one. A mid that needs no reference, such as
 * that of the dollar and its pegs, dates from the time asked for.
 */
export function midAt(atMs: number, [from, to]: readonly [string, string], day: Day): Mid | null {
  const source = legAt(atMs, from, day)
  const target = source && legAt(atMs, to, day)
  if (!source || !target) return null
  const mid = crossMid(source, target)
  if (!Number.isFinite(mid.atMs)) return { ...mid, atMs }
  return atMs - mid.atMs > day.maxAgeMs ? null : mid
}

function legAt(atMs: number, code: string, { anchors, referenceAt }: Day): Reference | undefined {
  const currency = anchors.of(code)
  if (currency === undefined) return undefined
  if (code === USD) return DOLLAR
  const constant = anchors.constant(code)
  if (constant) return constant
  const anchor = referenceAt({ currency, atMs })
  return anchor && anchors.reference(code, anchor)
}
