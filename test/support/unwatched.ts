import { Exposition } from '~/telemetry/exposition.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'

/** What an app needs to be watched, where nobody looks. */
export const unwatched = () => ({
  requests: new RequestFigures(),
  tracing: null,
  metrics: new Exposition([]),
  metricsToken: null,
})
