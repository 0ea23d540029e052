import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { ServiceError } from './domain/errors.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { convertRoutes } from './http/convert.ts'
import { fetchRoutes } from './http/fetch.ts'
import { flagRoutes } from './http/flags.ts'
import { type HealthDeps, healthRoutes } from './http/health.ts'
import { type IngestRouteDeps, ingestRoutes } from './http/ingest.ts'
import { providerRatesRoutes } from './http/provider-rates.ts'
import { ratesRoutes } from './http/rates.ts'
import { errorReply } from './http/reply.ts'
import { routed } from './http/route.ts'
import { type StatusDeps, statusRoutes } from './http/status.ts'
import { usageRoutes } from './http/usage.ts'

export const BASE_PATH = '/api/v1'

export type AppDeps = IngestRouteDeps &
  StatusDeps &
  HealthDeps & {
    /** Origins that may call from a browser; `*` for any. */
    readonly corsOrigins: readonly string[]
  }

/** Every route. Opens nothing and starts nothing. */
export function createApp(deps: AppDeps) {
  const { log } = deps
  const app = new Elysia({ name: 'corridor', handler: { standardHostname: false } })
  if (deps.corsOrigins.length > 0) app.use(crossOrigin(deps.corsOrigins))
  const api = [
    ...ratesRoutes(deps),
    ...ingestRoutes(deps),
    ...convertRoutes(deps),
    ...catalogueRoutes(deps),
    ...fetchRoutes(deps),
    ...providerRatesRoutes(deps),
    ...usageRoutes(deps),
    ...statusRoutes(deps),
  ]
  return app
    .onError(({ code, error }) => errorReply(code === 'NOT_FOUND' ? unknownPath() : error, log))
    .use(routed(api, { prefix: BASE_PATH, log }))
    .use(routed([...healthRoutes(deps), ...flagRoutes(deps)], { prefix: '', log }))
}

const unknownPath = (): ServiceError =>
  new ServiceError('unknown_path', `no such path; the interface lives under ${BASE_PATH}`)

function crossOrigin(origins: readonly string[]) {
  return cors({
    origin:
      origins.includes('*') || (({ headers }) => origins.includes(headers.get('origin') ?? '')),
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['content-type', 'idempotency-key', 'x-api-key'],
    exposeHeaders: [
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-data-freshness',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ],
    credentials: false,
  })
}
