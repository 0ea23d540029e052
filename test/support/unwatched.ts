import { Exposition } from '~/telemetry/exposition.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'

/** Observation of an app that nothing watches. */
export const unwatched = () => ({
  requests: new RequestFigures(),
  tracing: null,
  metrics: new Exposition([]),
  metricsToken: null,
})
