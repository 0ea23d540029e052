import { counterOf, type Family } from './families.ts'
import type { RequestFigures } from './request-figures.ts'

/** Responses by route, status and time. A HEAD counts as the matching GET. */
export const requestMetrics = (requests: RequestFigures): Family[] => [
  counterOf(['http_requests_total', 'Requests answered'], function* () {
    for (const figures of requests.all)
      for (const [status, count] of figures.statuses())
        yield [{ ...figures.label, status: String(status) }, count]
  }),
  counterOf(
    ['http_failures_total', 'Requests answered with a 5xx, by the code in the answer'],
    function* () {
      for (const figures of requests.all)
        for (const [code, count] of figures.failures) yield [{ ...figures.label, code }, count]
    },
  ),
  {
    name: 'corridor_http_request_duration_seconds',
    help: 'Time from the request to the head of its answer',
    type: 'histogram',
    *read() {
      for (const { label, timings } of requests.all) if (timings.count > 0) yield [label, timings]
    },
  },
  counterOf(['unauthorized_total', 'Requests without a usable key (401)'], () => [
    [{}, requests.answered(UNAUTHORIZED)],
  ]),
]

const UNAUTHORIZED = 401
