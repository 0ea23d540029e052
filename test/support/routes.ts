import type { HotDeps } from '~/http/access.ts'
import { catalogueRoutes } from '~/http/catalogue.ts'
import { convertRoutes } from '~/http/convert.ts'
import { corridorsRoutes } from '~/http/country/corridors.ts'
import { costsRoutes } from '~/http/country/costs.ts'
import { countriesRoutes } from '~/http/country/countries.ts'
import { fetchRoutes } from '~/http/fetch.ts'
import { providerRatesRoutes } from '~/http/provider-rates.ts'
import { ratesRoutes } from '~/http/rates.ts'
import type { ObservedRoute, Route } from '~/http/route.ts'
import { statusRoutes } from '~/http/status.ts'
import { RequestScope } from '~/telemetry/request-scope.ts'

/** A route without observation: its own handler responds. */
export const unobserved = (route: Route): ObservedRoute => ({
  ...route,
  fetch: (request) => route.handle(request, new RequestScope('a-test')),
})

type Maker = (deps: HotDeps) => Route[]

const MAKERS: readonly Maker[] = [
  ratesRoutes,
  convertRoutes,
  fetchRoutes,
  providerRatesRoutes,
  catalogueRoutes,
  corridorsRoutes,
  costsRoutes,
  countriesRoutes,
  (deps) => statusRoutes({ ...deps, sample: null }),
]

const makers = new Map<string, Maker>()

/** The read from memory at a path below the API, newly created, and few others with it. */
export function freshRoute(deps: HotDeps, path: string): ObservedRoute {
  if (makers.size === 0)
    for (const maker of MAKERS) for (const route of maker(deps)) makers.set(route.path, maker)
  return unobserved(makers.get(path)!(deps).find((route) => route.path === path)!)
}
