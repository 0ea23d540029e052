import type { Clock } from '~/clock.ts'
import type { NoteKey } from '~/evidence/note.ts'
import type { Frame } from '~/http/docs/reference-page.ts'
import type { AddressOf } from '~/http/edge/address.ts'
import { mountOf } from '~/http/edge/mount.ts'
import type { FileDeps } from '~/http/file/making.ts'
import type { Fetch } from '~/http/handler.ts'
import type { KnownDeps } from '~/http/known/past.ts'
import type { Route } from '~/http/route.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { boardRoute } from '~/portal/board/board.tsx'
import { seriesFileRoute } from '~/portal/board/series-file.ts'
import { corridorsRoute } from '~/portal/corridors/corridors.tsx'
import { dataRoute } from '~/portal/data/data-page.tsx'
import { priceFileRoute } from '~/portal/data/price-file.ts'
import { rankingFileRoutes } from '~/portal/data/ranking-files.ts'
import { rankingRoute } from '~/portal/data/ranking-page.tsx'
import { embedRoute } from '~/portal/embed/embed.tsx'
import { costsFileRoute } from '~/portal/send/costs-file.ts'
import type { HeldSeriesDeps } from '~/service/held-series.ts'
import type { Metering } from '~/service/metering.ts'
import { Assets, assetRoutes } from './assets.ts'
import { cookiePrefixOf } from './cookies.ts'
import type { Credit } from './frame.tsx'
import { languageRoutes } from './language-choice.tsx'
import { methodologyRoutes } from './method/methodology.tsx'
import { type PageDeps, siteFrame } from './page.tsx'
import { PageLimits, type SessionOf } from './page-limits.ts'
import { isSpoken } from './paths.ts'
import { pictureRoute } from './picture/pictures.ts'
import { providersRoutes } from './providers/providers.tsx'
import { publicHandler } from './public-page.tsx'
import { sendRoutes } from './send/send.tsx'
import { crawlerRoutes } from './site/crawlers.ts'
import { faviconRoutes } from './site/favicon.ts'
import { manifestRoutes } from './site/manifest.ts'
import { privacyRoute } from './site/privacy.tsx'
import { workerRoutes } from './site/worker.tsx'
import { unknownPage } from './unknown-page.tsx'
import { type VerifyDeps, verifyRoute } from './verify/verify-page.tsx'
import { FURTHER_LANGUAGES, prefixOf } from './words/language.ts'

/** Options of the pages besides those of the API. */
export type PortalOptions = {
  readonly addressOf: AddressOf
  /** The session of a request; none without sign-in. */
  readonly sessionOf?: SessionOf
  /** The number of requests that one address, or one session, may make to the public pages. */
  readonly requestsPerMinute: number
  readonly credits: readonly Credit[]
  /** Ends a session after so long without use. */
  readonly sessionIdleMs: number
  /** The pages for people who sign in, in the same frame; none without sign-in. */
  readonly people?: (pages: PageDeps) => readonly Route[]
  /** Says whether emails can be sent, so that an address is enough for an alert. */
  readonly isMailed?: boolean
  readonly witnesses?: readonly NoteKey[]
}

export type PortalDeps = FileDeps & {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly ageLimits: AgeLimits
  readonly past: HeldSeriesDeps
  readonly known: KnownDeps['known']
  readonly metering: Metering
  readonly signer: VerifyDeps['signer']
  readonly evidence: VerifyDeps['evidence']
  readonly publicUrl: string | null
  readonly isProxied: boolean
  readonly sample: string | null
  readonly portal: PortalOptions
}

/** The path of a page that the navigation does not mark. */
const NOWHERE = ''

type Portal = {
  /** The pages for people, and what they load. */
  readonly routes: readonly Route[]
  /** Responds to a person whose address leads to no page. */
  readonly unknown: Fetch
  /** The frame of the pages, for a page at `path` that is rendered elsewhere. */
  frame(path: string): Promise<Frame>
}

export function createPortal(deps: PortalDeps, { basePath }: { basePath: string }): Portal {
  const { log, sample } = deps
  const { addressOf, requestsPerMinute, credits, people, sessionIdleMs } = deps.portal
  const { sessionOf = () => null, isMailed = false, witnesses = [] } = deps.portal
  const mount = mountOf(deps.publicUrl)
  const cookiePrefix = cookiePrefixOf(deps.publicUrl)
  const pages: PageDeps = { assets: new Assets(), mount, cookiePrefix, credits, sample }
  const limits = new PageLimits({ requestsMax: requestsPerMinute, addressOf, sessionOf })
  const open = { ...deps, pages, limits }
  const dailyUnits = people ? deps.metering.limits.free : null
  return {
    routes: inLanguages([
      boardRoute({ ...open, basePath, dailyUnits }),
      seriesFileRoute(open),
      ...methodologyRoutes(open),
      verifyRoute({ ...open, witnesses }),
      ...sendRoutes({ ...open, canSignUp: people !== undefined, isMailed }),
      costsFileRoute(open),
      dataRoute(open),
      priceFileRoute(open),
      rankingRoute(open),
      ...rankingFileRoutes(open),
      privacyRoute({ ...open, sessionIdleMs: people ? sessionIdleMs : null }),
      embedRoute(open),
      ...providersRoutes(open),
      pictureRoute(open),
      ...crawlerRoutes(open),
      ...faviconRoutes(),
      ...manifestRoutes(pages),
      ...workerRoutes(pages),
      corridorsRoute(open),
      ...(people?.(pages) ?? []),
      ...languageRoutes(pages),
      ...assetRoutes({ assets: pages.assets, log }),
    ]),
    frame: (path) => siteFrame(pages, path),
    unknown: publicHandler(open, NOWHERE, ({ words }) => unknownPage(words, NOWHERE)),
  }
}

/** The routes, and those of the pages that speak every language at the address for each. */
const inLanguages = (routes: readonly Route[]): Route[] =>
  routes.flatMap((route) =>
    isSpoken(route.path)
      ? [
          route,
          ...FURTHER_LANGUAGES.map((language) => ({
            ...route,
            path: prefixOf(language) + route.path,
            countedAs: route.path,
          })),
        ]
      : [route],
  )
