import { type AnyElysia, Elysia } from 'elysia'
import { ServiceError } from './domain/errors.ts'
import type { Handler } from './http/access.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { changeRoutes } from './http/change.ts'
import type { ColdDeps } from './http/cold-route.ts'
import { convertRoutes } from './http/convert.ts'
import { CrossOrigin } from './http/cross-origin.ts'
import { DirectRoutes, parsable, pathOf } from './http/direct.ts'
import { type DocsDeps, docsRoutes } from './http/docs.ts'
import { type FetchDeps, fetchRoutes } from './http/fetch.ts'
import { flagRoutes } from './http/flags.ts'
import { type HealthDeps, healthRoutes } from './http/health.ts'
import { historyRoutes } from './http/history.ts'
import { type IngestRouteDeps, ingestRoutes } from './http/ingest.ts'
import { type MetricsDeps, metricsRoutes } from './http/metrics.ts'
import { type ObservedDeps, observed, observedApp, observedHandler } from './http/observed.ts'
import { providerRatesRoutes } from './http/provider-rates.ts'
import { ratesRoutes } from './http/rates.ts'
import { errorReply } from './http/reply.ts'
import { type Route, routed } from './http/route.ts'
import { seriesRoutes } from './http/series.ts'
import { snapshotRoutes } from './http/snapshot.ts'
import { type StatusDeps, statusRoutes } from './http/status.ts'
import { usageRoutes } from './http/usage.ts'
import { createPortal, type PortalDeps } from './portal/routes.ts'
import { wantsPage } from './portal/unknown-page.tsx'
import { AnswerCache } from './wire/answer-cache.ts'

export const BASE_PATH = '/api/v1'
const TOOLS_PATH = '/mcp'

export type AppDeps = IngestRouteDeps &
  ColdDeps &
  Omit<FetchDeps, 'answers'> &
  Omit<StatusDeps, 'answers'> &
  HealthDeps &
  MetricsDeps &
  Pick<PortalDeps, 'portal'> &
  ObservedDeps &
  DocsDeps & {
    /** Origins that may call from a browser; `*` for any. */
    readonly corsOrigins: readonly string[]
    /** The tool server for agents, which has its own ways with keys, origins and methods. */
    readonly tools: { handle(request: Request): Promise<Response> }
  }

type RouteDeps = AppDeps & { readonly answers: AnswerCache }

export type App = {
  fetch(request: Request): Response | Promise<Response>
  /** `fetch` for who would rather wait than look. */
  handle(request: Request): Promise<Response>
  readonly routes: AnyElysia['routes']
}

/** Every route. Opens nothing and starts nothing. */
export function createApp(given: AppDeps): App {
  const deps = { ...given, answers: new AnswerCache() }
  const { log, tools } = deps
  const watched = (routes: readonly Route[], prefix: string) =>
    routes.map((route) => observed(route, prefix, deps))
  const toolsLabel = { method: '*', route: TOOLS_PATH } as const
  const askTools = observedHandler((request) => tools.handle(request), toolsLabel, deps)
  const app = new Elysia({ name: 'corridor', handler: { standardHostname: false } })
  const api = watched(apiRoutes(deps), BASE_PATH)
  const docs = docsRoutes(deps, { basePath: BASE_PATH, routes: api })
  const portal = createPortal(deps, { basePath: BASE_PATH })
  const outside = [...machineRoutes(deps), ...portal.routes, ...docs]
  const unknown = (request: Request) =>
    isForPeople(request) ? portal.unknown(request) : errorReply(unknownPath(), log)
  app
    .onError(({ code, error, request }) =>
      code === 'NOT_FOUND' ? unknown(request) : errorReply(error, log),
    )
    .use(routed(api, { prefix: BASE_PATH, log }))
    .use(routed(watched(outside, ''), { prefix: '', log }))
  const direct = new DirectRoutes(api, { prefix: BASE_PATH })
  const cross = deps.corsOrigins.length > 0 ? new CrossOrigin(deps.corsOrigins) : null
  const found = (request: Request) => app.fetch(request)
  const answered = (handle: Handler, request: Request) =>
    cross ? cross.answered(handle, request) : handle(request)
  const throughRouter = observedApp((request) => answered(found, request), deps)
  return {
    routes: app.routes,
    fetch(request) {
      const handle = request.method === 'GET' && direct.of(request.url)
      if (handle) return answered(handle, request)
      const path = pathOf(request.url)
      const isForTools = path === TOOLS_PATH || path === `${TOOLS_PATH}/`
      const asked = parsable(request)
      return isForTools ? askTools(asked) : throughRouter(asked)
    },
    async handle(request) {
      return this.fetch(request)
    },
  }
}

/** The interface itself. */
const apiRoutes = (deps: RouteDeps): Route[] => [
  ...ratesRoutes(deps),
  ...ingestRoutes(deps),
  ...historyRoutes(deps),
  ...convertRoutes(deps),
  ...catalogueRoutes(deps),
  ...fetchRoutes(deps),
  ...seriesRoutes(deps),
  ...snapshotRoutes(deps),
  ...changeRoutes(deps),
  ...providerRatesRoutes(deps),
  ...usageRoutes(deps),
  ...statusRoutes(deps),
]

/** What stands beside it: for the machines that run and watch the service, and flags. */
const machineRoutes = (deps: RouteDeps): Route[] => [
  ...healthRoutes(deps),
  ...metricsRoutes(deps),
  ...flagRoutes(deps),
]

/** Below the interface even a person is answered as its callers are. */
const isForPeople = (request: Request): boolean =>
  !pathOf(request.url).startsWith(`${BASE_PATH}/`) && wantsPage(request)

export const unknownPath = (): ServiceError =>
  new ServiceError('unknown_path', `no such path; the interface lives under ${BASE_PATH}`)
