import type { Answer } from './answer.ts'

const DAY_MS = 86_400_000

/** The lowest remaining budget that each replica has stated, by the end of its day. */
export type Floors = ReadonlyMap<string, number>

/**
 * Budget of one account as replicas report it: on one replica, in one run and one day, each request
 * leaves less than every request that returned before it was sent.
 */
export class QuotaWatch {
  #floors: Floors = new Map()

  /** Read before a request is sent. */
  get floors(): Floors {
    return this.#floors
  }

  /** Error in the headers of a success, given the floors before it; null for none. */
  fault({ headers, by, fromMs, toMs }: Answer, floors: Floors): string | null {
    const remaining = numberOf(headers, 'x-ratelimit-remaining')
    const reset = numberOf(headers, 'x-ratelimit-reset')
    if (remaining === null || reset === null) return 'a success without X-RateLimit headers'
    if (![fromMs, toMs].some((ms) => resetOf(ms) === reset))
      return `X-RateLimit-Reset is ${reset} at ${new Date(toMs).toISOString()}`
    const place = `${by} ${reset}`
    const floor = floors.get(place) ?? Number.POSITIVE_INFINITY
    const least = Math.min(this.#floors.get(place) ?? Number.POSITIVE_INFINITY, remaining)
    this.#floors = new Map(this.#floors).set(place, least)
    return remaining < floor ? null : `${by} says ${remaining} remain, after it said ${floor}`
  }
}

/** The next midnight, in epoch seconds. */
export const resetOf = (ms: number): number => ((Math.floor(ms / DAY_MS) + 1) * DAY_MS) / 1000

function numberOf(headers: Headers, name: string): number | null {
  const text = headers.get(name) ?? ''
  return /^\d+$/.test(text) ? Number(text) : null
}
