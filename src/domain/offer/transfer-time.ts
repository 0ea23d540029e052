import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'

/** The time that a transfer takes, in milliseconds; null for an end that is not known. */
export type Delivery = {
  readonly deliveryMinMs: number | null
  readonly deliveryMaxMs: number | null
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
  ['day', DAY_MS],
])
const WORDS: ReadonlyMap<string, number> = new Map([
  ...['instant', 'instantly', 'immediate', 'immediately'].map((word) => [word, 0] as const),
  ...['minutes', 'within minutes', 'a few minutes'].map((word) => [word, HOUR_MS] as const),
  ['same day', DAY_MS],
  ['next day', 2 * DAY_MS],
])
/** Matches `3-5 days`, `less than one hour`, `up to 2 days`, `6 days or more`. */
const SPAN =
  /^(?:(less than|within|up to) )?(one|\d{1,3})(?: ?(?:-|–|to) ?(\d{1,3}))? (\w+?)s?( or more)?$/

const known = new Map<string, Delivery | null>()
const KNOWN_MAX = 1000

/**
 * Reads a provider's own words for the duration of a transfer; null if they are not a time: days on
 * which banks work have no fixed length.
 */
export function deliveryIn(text: string | null): Delivery | null {
  if (text === null) return null
  const read = known.get(text)
  if (read !== undefined) return read
  if (known.size >= KNOWN_MAX) known.clear()
  const delivery = readDelivery(text.trim().toLowerCase())
  known.set(text, delivery)
  return delivery
}

function readDelivery(text: string): Delivery | null {
  const mostMs = WORDS.get(text)
  if (mostMs !== undefined) return { deliveryMinMs: null, deliveryMaxMs: mostMs }
  const [, bound, first = '', second, unit = '', more] = SPAN.exec(text) ?? []
  const unitMs = UNITS_MS.get(unit)
  if (unitMs === undefined) return null
  const fromMs = (first === 'one' ? 1 : Number(first)) * unitMs
  if (more) return { deliveryMinMs: fromMs, deliveryMaxMs: null }
  const toMs = second === undefined ? fromMs : Number(second) * unitMs
  return { deliveryMinMs: bound || second === undefined ? null : fromMs, deliveryMaxMs: toMs }
}
