/** @jsxImportSource preact */
import type { Provider } from '~/domain/provider.ts'
import type { Route } from '~/http/route.ts'
import { typeText } from '~/portal/board/kinds.ts'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type PublicAsk, type PublicDeps, publicPage } from '~/portal/public-page.tsx'
import { unknownPage } from '~/portal/unknown-page.tsx'
import { Name } from '~/portal/words/spoken.tsx'
import { Logo } from './logo.tsx'
import { providerPath } from './path.ts'
import { providerPage } from './provider-page.tsx'

type ProvidersDeps = PublicDeps & {
  /** The public address of the service; null for whatever address it was read from. */
  readonly publicUrl: string | null
}

/** A page for each active provider, and the list of them. */
export const providersRoutes = (deps: ProvidersDeps): Route[] => [
  { method: 'GET', path: PATHS.providers, handle: publicPage(deps, PATHS.providers, listPage) },
  {
    method: 'GET',
    path: `${PATHS.providers}/:id`,
    handle: publicPage(deps, PATHS.providers, ({ view, url, words, nowMs }) => {
      const provider = providerAt(url.pathname, view.catalogue.providers)
      if (!provider) return unknownPage(words, PATHS.providers)
      return providerPage({ view, provider, words, nowMs, base: deps.publicUrl ?? url.origin })
    }),
  },
]

const providerAt = (path: string, providers: readonly Provider[]): Provider | undefined =>
  providers.find(({ id }) => path.endsWith(providerPath(id)))

/** The maximum number of providers that the page lists. */
const PROVIDERS_MAX = 2000

function listPage({ view, words }: PublicAsk): Page {
  const { say } = words
  const { providers } = view.catalogue
  return {
    title: say('providers.title'),
    path: PATHS.providers,
    description: say('providers.lead'),
    body: (
      <div class="stack">
        <div class="stack-tight">
          <h1>{say('providers.title')}</h1>
          <p class="lead">{say('providers.lead')}</p>
        </div>
        {providers.length === 0 && <Notice kind="plain" title={say('providers.none')} />}
        <ul class="flag-links">
          {providers.slice(0, PROVIDERS_MAX).map((provider) => (
            <li key={provider.id} class="with-logo">
              <Logo provider={provider} />
              <span>
                <a href={providerPath(provider.id)}>
                  <Name>{provider.name}</Name>
                </a>
                <span class="beside">{typeText(words, provider.providerType)}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    ),
  }
}
