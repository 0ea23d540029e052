import type { Family } from './families.ts'
import type { RequestFigures } from './request-figures.ts'

/** Answers by route, status and time. A HEAD counts as the matching GET. */
export const requestMetrics = (requests: RequestFigures): Family[] => [
  {
    name: 'corridor_http_requests_total',
    help: 'Requests answered',
    type: 'counter',
    *read() {
      for (const figures of requests.all)
        for (const [status, count] of figures.statuses())
          yield [{ ...figures.label, status: String(status) }, count]
    },
  },
  {
    name: 'corridor_http_failures_total',
    help: 'Requests answered with a 5xx, by the code in the answer',
    type: 'counter',
    *read() {
      for (const figures of requests.all)
        for (const [code, count] of figures.failures) yield [{ ...figures.label, code }, count]
    },
  },
  {
    name: 'corridor_http_request_duration_seconds',
    help: 'Time from the request to the head of its answer',
    type: 'histogram',
    *read() {
      for (const { label, timings } of requests.all) if (timings.count > 0) yield [label, timings]
    },
  },
  {
    name: 'corridor_unauthorized_total',
    help: 'Requests without a usable key (401)',
    type: 'counter',
    read: () => [[{}, requests.answered(UNAUTHORIZED)]],
  },
]

const UNAUTHORIZED = 401
