import { DAY_MS } from '~/domain/duration.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { legsOf, midAt, type Probe } from '~/domain/price/day-mids.ts'
import type { DaySource } from '~/memory/day-publication.ts'

type Priced = {
  readonly currency: string
  readonly codes: readonly string[]
  readonly moments: readonly number[]
  readonly nowMs: number
  readonly anchors: Anchors
  /** The age up to which a reference counts as recent. */
  readonly maxAgeMs: number
}

/** Distance from now within which a time is compared with the current mid. */
const NEAR_MS_MAX = 10 * DAY_MS

/**
 * The mids of currencies at given times; null if there is none. A time before every reference, such
 * as the last midnight of a service that has just begun, gets the current mid if that is near.
 */
export async function midsOf(source: DaySource, priced: Priced) {
  const { currency, codes, moments, nowMs, anchors, maxAgeMs } = priced
  const legs = legsOf([currency, ...codes], anchors)
  const probes = legs.flatMap((leg) => [...moments, nowMs].map((atMs) => ({ currency: leg, atMs })))
  const found = new Map(
    (await source.referencesAt(probes)).map((answer) => [keyOf(answer), answer.reference]),
  )
  const referenceAt = (probe: Probe) => found.get(keyOf(probe)) ?? undefined
  const at = (atMs: number, code: string) =>
    midAt(atMs, [code, currency], { anchors, referenceAt, maxAgeMs })
  return (code: string, atMs: number): number | null => {
    const near = nowMs - atMs <= NEAR_MS_MAX ? at(nowMs, code) : null
    return (at(atMs, code) ?? near)?.rate ?? null
  }
}

const keyOf = ({ currency, atMs }: Probe): string => `${currency} ${atMs}`
