import type { ErrorCode } from '~/domain/errors.ts'
import { counter, counterOf, type Family, histogramOf } from './families.ts'
import { REQUEST_BOUNDS_MS, Timings } from './timings.ts'

/** The name of a route in metrics, lines and spans: never anything that a caller wrote. */
export type RouteLabel = {
  /** The method, or `*` if the route takes any. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS' | '*'
  /** The whole pattern of the path, or `other`. */
  readonly route: string
}

/** The label for everything without a route: unknown paths, refused methods, preflights. */
export const OTHER: RouteLabel = { method: '*', route: 'other' }

const STATUS_MAX = 599

const UNAUTHORIZED = 401
const NO_CODE = 'none'

type FailureCode = ErrorCode | typeof NO_CODE

/** The responses of one route since the process started. */
class RouteFigures {
  readonly timings = new Timings(REQUEST_BOUNDS_MS)
  /** Created for the first response: most routes of most processes return none. */
  #byStatus: Float64Array | null = null
  readonly #byCode = new Map<FailureCode, number>()

  constructor(readonly label: RouteLabel) {}

  count(status: number, ms: number): void {
    this.#byStatus ??= new Float64Array(STATUS_MAX + 1)
    this.#byStatus[status]!++
    this.timings.add(ms)
  }

  /** Counts a 5xx by the code in its response; null if it has none. */
  countFailure(code: ErrorCode | null): void {
    const known = code ?? NO_CODE
    this.#byCode.set(known, (this.#byCode.get(known) ?? 0) + 1)
  }

  /** The reasons for 5xx responses, with their counts. */
  get failures(): Iterable<readonly [code: FailureCode, count: number]> {
    return this.#byCode
  }

  /** The statuses returned, ascending, with their counts. */
  *statuses(): Generator<readonly [status: number, count: number]> {
    for (const [status, count] of this.#byStatus?.entries() ?? [])
      if (count > 0) yield [status, count]
  }
}

/** The metrics of every route, as many as the service has routes, and one more. */
export class RequestFigures {
  readonly #routes = new Map<string, RouteFigures>()

  /** The metrics under this label, created when first requested. */
  of(label: RouteLabel): RouteFigures {
    const name = `${label.method} ${label.route}`
    const known = this.#routes.get(name)
    if (known) return known
    const figures = new RouteFigures(label)
    this.#routes.set(name, figures)
    return figures
  }

  get all(): Iterable<RouteFigures> {
    return this.#routes.values()
  }

  /** Responses by route, status and time. A HEAD counts as the matching GET. */
  get metrics(): Family[] {
    const requests = this
    return [
      counterOf(['http_requests_total', 'Responses'], function* () {
        for (const figures of requests.all)
          for (const [status, count] of figures.statuses())
            yield [{ ...figures.label, status: String(status) }, count]
      }),
      counterOf(['http_failures_total', 'Responses with a 5xx, by their error code'], function* () {
        for (const figures of requests.all)
          for (const [code, count] of figures.failures) yield [{ ...figures.label, code }, count]
      }),
      histogramOf(
        ['http_request_duration_seconds', 'Time from a request to the headers of its response'],
        function* () {
          for (const { label, timings } of requests.all)
            if (timings.count > 0) yield [label, timings]
        },
      ),
      counter(['unauthorized_total', 'Requests without a usable key (401)'], () =>
        this.answered(UNAUTHORIZED),
      ),
    ]
  }

  /**
   * The number of responses of all routes, and of those that took longer than some milliseconds.
   */
  slowerThan(ms: number): { count: number; slow: number } {
    const sums = { count: 0, slow: 0 }
    for (const { timings } of this.all)
      for (const [bucket, count] of timings.counts.entries()) {
        sums.count += count
        if ((timings.boundsMs[bucket] ?? Number.POSITIVE_INFINITY) > ms) sums.slow += count
      }
    return sums
  }

  /** Number of responses of all routes with this status. */
  answered(wanted: number): number {
    let sum = 0
    for (const figures of this.all)
      for (const [status, count] of figures.statuses()) if (status === wanted) sum += count
    return sum
  }
}
