import { type AnyElysia, Elysia } from 'elysia'
import { docsRoutes } from '~/http/docs/docs.ts'
import { challenged } from '~/http/edge/challenged.ts'
import { CrossOrigin } from '~/http/edge/cross-origin.ts'
import { guardHeaders } from '~/http/edge/guard-headers.ts'
import type { HomeDeps } from '~/http/edge/home.ts'
import { mountOf, prefixesOf } from '~/http/edge/mount.ts'
import { AnswerCache } from '~/wire/text/answer-cache.ts'
import { ServiceError } from './domain/errors.ts'
import type { HotDeps } from './http/access.ts'
import { type AlertRouteDeps, alertRoutes } from './http/alert/alerts.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { changeRoutes } from './http/change.ts'
import type { ColdDeps } from './http/cold-route.ts'
import { compatRoutes } from './http/compat/compat.ts'
import { convertRoutes } from './http/convert.ts'
import { corridorsRoutes } from './http/country/corridors.ts'
import { costsRoutes } from './http/country/costs.ts'
import { countriesRoutes } from './http/country/countries.ts'
import { DirectRoutes } from './http/direct.ts'
import { type LogFileDeps, logFileRoutes } from './http/evidence/log-files.ts'
import { proofRoutes } from './http/evidence/proofs.ts'
import { type SigningDeps, signing, signingKeyRoute } from './http/evidence/signing.ts'
import { type FetchDeps, fetchRoutes } from './http/fetch.ts'
import { fileRoutes, fileShortcut } from './http/file/files.ts'
import type { FileDeps } from './http/file/making.ts'
import { flagRoutes } from './http/flags.ts'
import type { Fetch } from './http/handler.ts'
import { type HealthDeps, healthRoutes } from './http/health.ts'
import { historyRoutes } from './http/history.ts'
import { METRICS_PATH, type MetricsDeps, metricsRoutes } from './http/metrics.ts'
import { type ObservedDeps, observed, observedApp, observedHandler } from './http/observed.ts'
import { officialRoutes } from './http/official.ts'
import { BASE_PATH, parsable, pathOf } from './http/path.ts'
import { providerRatesRoutes } from './http/provider-rates.ts'
import { ratesRoutes } from './http/rates.ts'
import { type IngestRouteDeps, ingestRoutes } from './http/recording/ingest.ts'
import { type WithdrawRouteDeps, withdrawRoutes } from './http/recording/withdraw.ts'
import { referencesRoutes } from './http/reference/references.ts'
import { errorReply, Refusals } from './http/reply.ts'
import { type ObservedRoute, type Route, routed } from './http/route.ts'
import { seriesRoutes } from './http/series.ts'
import { snapshotRoutes } from './http/snapshot.ts'
import { type StatusDeps, statusRoutes } from './http/status.ts'
import { streamRoutes } from './http/stream/stream.ts'
import type { StreamDeps } from './http/stream/stream-deps.ts'
import { usageRoutes } from './http/usage.ts'
import { createPortal, type PortalDeps } from './portal/routes.ts'
import { wantsPage } from './portal/unknown-page.tsx'

const TOOLS_PATH = '/mcp'

type AppDeps = IngestRouteDeps &
  WithdrawRouteDeps &
  AlertRouteDeps &
  ColdDeps &
  FileDeps &
  LogFileDeps &
  Pick<SigningDeps, 'signer'> &
  Pick<StreamDeps, 'streams'> &
  Omit<FetchDeps, keyof Own> &
  Omit<StatusDeps, keyof Own> &
  HealthDeps &
  MetricsDeps &
  Pick<PortalDeps, 'portal'> &
  ObservedDeps &
  HomeDeps & {
    /** Origins that may call from a browser; `*` for any. */
    readonly corsOrigins: readonly string[]
    /** The tool server for agents, which handles keys, origins and methods in its own way. */
    readonly tools: { handle(request: Request): Promise<Response> }
  }

/** Dependencies that an app creates for itself. */
type Own = Pick<HotDeps, 'answers' | 'guards' | 'refusals'>

type RouteDeps = AppDeps & Own

export type App = {
  fetch(request: Request): Response | Promise<Response>
  /**
   * Handlers that `fetch` does not include: they match the path as sent, which a request does not
   * show, since dots in its URL are already resolved. The listener has it.
   */
  readonly exact: Readonly<Record<string, Fetch>>
  /**
   * Handles a request whose URL is as sent, by `fetch` or `exact`, for a caller that has no need to
   * distinguish them.
   */
  handle(request: Request): Promise<Response>
  allRoutes(): AnyElysia['routes']
}

/** Every route. Opens nothing and starts nothing. */
export function createApp(given: AppDeps): App {
  const guards = guardHeaders(given.publicUrl)
  const refusals = new Refusals(guards)
  const deps = { ...given, answers: new AnswerCache(), guards, refusals }
  const { log, tools } = deps
  const watched = (routes: readonly Route[], prefix: string) =>
    routes.map((route) => observed(route, prefix, deps))
  const toolsLabel = { method: '*', route: TOOLS_PATH } as const
  const askTools = observedHandler(challenged(tools, deps), toolsLabel, deps)
  const api = watched(apiRoutes(deps).map(signing(deps)), BASE_PATH)
  const portal = createPortal(deps, { basePath: BASE_PATH })
  const docs = docsRoutes(deps, { basePath: BASE_PATH, routes: api, frame: portal.frame })
  const compat = watched(compatRoutes(deps), '')
  const files = [...flagRoutes(deps), ...logFileRoutes(deps), fileShortcut]
  const shown = [...compat, ...watched([...files, ...portal.routes, ...docs], '')]
  const outside = [...watched(machineRoutes(deps), ''), ...shown]
  const mount = mountOf(deps.publicUrl)
  const prefixes = prefixesOf(mount, [BASE_PATH, TOOLS_PATH, ...outside.map(({ path }) => path)])
  const below = (path: string) => prefixes.map((prefix) => prefix + path)
  const isForPeople = isForPeopleOutside(below(`${BASE_PATH}/`))
  const unknown = (request: Request) =>
    isForPeople(request) ? portal.unknown(request) : errorReply(unknownPath(mount), log)
  let made: AnyElysia | null = null
  const router = () => (made ??= routerOf(deps, { prefixes, api, outside, shown, unknown }))
  const direct = [
    new DirectRoutes(api, { prefixes: below(BASE_PATH) }),
    new DirectRoutes(compat, { prefixes }),
  ] as const
  const toolPaths = [...below(TOOLS_PATH), ...below(`${TOOLS_PATH}/`)]
  const found = (request: Request) => router().fetch(request)
  const front = frontOf(deps, { direct, toolPaths, askTools, found, unknown })
  return { ...front, allRoutes: () => router().routes }
}

type Routed = {
  readonly prefixes: readonly string[]
  readonly api: readonly ObservedRoute[]
  /** Routes for machines and people outside the API. */
  readonly outside: readonly ObservedRoute[]
  /** The part of it that is also below the prefix of a proxy. */
  readonly shown: readonly ObservedRoute[]
  /** Handles an unknown path. */
  readonly unknown: Fetch
}

/** The router, created by the first request that needs it. */
function routerOf({ log }: RouteDeps, { prefixes, api, outside, shown, unknown }: Routed) {
  const app = new Elysia({ name: 'corridor', handler: { standardHostname: false } })
  app.onError(({ code, error, request }) =>
    code === 'NOT_FOUND' ? unknown(request) : errorReply(error, log),
  )
  for (const prefix of prefixes)
    app
      .use(routed(api, { prefix: prefix + BASE_PATH, log }))
      .use(routed(prefix === '' ? outside : shown, { prefix, log }))
  return app
}

/** Handlers, from the fastest. */
type Lanes = {
  readonly direct: readonly [DirectRoutes, DirectRoutes]
  readonly toolPaths: readonly string[]
  readonly askTools: Fetch
  readonly found: Fetch
  /** Handles an unknown path. */
  readonly unknown: Fetch
}

function frontOf(deps: RouteDeps, lanes: Lanes): Omit<App, 'allRoutes'> {
  const { direct, toolPaths, askTools, found, unknown } = lanes
  const cross = deps.corsOrigins.length > 0 ? new CrossOrigin(deps.corsOrigins) : null
  const answered = (handle: Fetch, request: Request) =>
    cross ? cross.answered(handle, request) : handle(request)
  const throughRouter = observedApp((request) => answered(found, request), deps)
  const refused = observedApp((request) => answered(unknown, request), deps)
  const exact: Readonly<Record<string, Fetch>> = {
    [METRICS_PATH]: (request) => throughRouter(parsable(request)),
  }
  return {
    fetch(request) {
      const { method, url } = request
      const handle = method === 'GET' && (direct[0].of(url) ?? direct[1].of(url))
      if (handle) return answered(handle, request)
      const asked = parsable(request)
      const path = pathOf(asked.url)
      if (toolPaths.includes(path)) return askTools(asked)
      return isExact(path) ? refused(asked) : throughRouter(asked)
    },
    exact,
    async handle(request) {
      return (exact[pathOf(request.url)] ?? this.fetch)(request)
    },
  }
}

const apiRoutes = (deps: RouteDeps): Route[] => [
  ...ratesRoutes(deps),
  ...ingestRoutes(deps),
  ...withdrawRoutes(deps),
  ...historyRoutes(deps),
  ...convertRoutes(deps),
  ...corridorsRoutes(deps),
  ...costsRoutes(deps),
  ...countriesRoutes(deps),
  ...catalogueRoutes(deps),
  ...fetchRoutes(deps),
  ...seriesRoutes(deps),
  ...snapshotRoutes(deps),
  ...officialRoutes(deps),
  ...referencesRoutes(deps),
  ...fileRoutes(deps),
  ...proofRoutes(deps),
  ...changeRoutes(deps),
  ...providerRatesRoutes(deps),
  ...alertRoutes(deps),
  ...usageRoutes(deps),
  ...statusRoutes(deps),
  ...streamRoutes(deps),
]

/**
 * Routes for the machines that run and watch the service, which know it by its own address alone.
 */
const machineRoutes = (deps: RouteDeps): Route[] => [
  ...healthRoutes(deps),
  ...metricsRoutes(deps),
  signingKeyRoute(deps),
]

/** Reports whether the router would take a path for that of an exact handler. */
const isExact = (path: string): boolean => path === METRICS_PATH || path === `${METRICS_PATH}/`

/** Says whether a page should respond; below the API even a person gets what its clients get. */
const isForPeopleOutside =
  (interfaces: readonly string[]) =>
  (request: Request): boolean => {
    const path = pathOf(request.url)
    return !interfaces.some((base) => path.startsWith(base)) && wantsPage(request)
  }

export const unknownPath = (mount: string): ServiceError =>
  new ServiceError('unknown_path', `no such path; the API is under ${mount}${BASE_PATH}`)
