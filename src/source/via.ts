import type { FetcherDeps } from '~/feed/fetcher.ts'
import { ask } from '~/outbound/ask.ts'
import { ANYWHERE } from '~/outbound/places.ts'

/**
 * Fetching by way of a stand-in for all hosts: `https://host/path?q` is asked at `via/host/path?q`.
 * Redirects are followed as the hosts themselves give them, so each hop goes by way of it too, and
 * names are looked up for it alone.
 */
export function fetchingVia(via: string, deps: FetcherDeps): FetcherDeps {
  const { hostname } = new URL(via)
  return {
    ...deps,
    connect({ url: { host, pathname, search }, ...request }) {
      const url = new URL(`${via}/${host}${pathname}${search}`)
      return ask(deps, { ...request, url }, { allowed: ANYWHERE, isSecureOnly: false })
    },
    addressesOf: async () => [hostname],
  }
}
