import {
  FeedError,
  type ReferenceAnswer,
  type ReferenceFeed,
  type Validators,
} from '~/domain/feed/feed.ts'
import { type Adapter, endpointUrl } from './adapter.ts'
import { currencyApi } from './currency-api.ts'
import { ecb } from './ecb.ts'
import { fastForex } from './fastforex.ts'
import { type FetcherDeps, fetchDocument } from './fetcher.ts'
import { frankfurter } from './frankfurter.ts'
import { openErApi } from './open-er-api.ts'
import { openExchangeRates } from './openexchangerates.ts'

/** Every feed that can be configured, by its name, which also labels its rates. */
export const ADAPTERS = {
  'open-er-api': openErApi,
  openexchangerates: openExchangeRates,
  fastforex: fastForex,
  frankfurter,
  'currency-api': currencyApi,
  ecb,
} as const satisfies Record<string, Adapter>

export type FeedName = keyof typeof ADAPTERS

export const FEED_NAMES = Object.keys(ADAPTERS) as FeedName[]

export const needsKey = (name: FeedName): boolean => 'keyHeaders' in ADAPTERS[name]

export type FeedSettings = {
  readonly name: FeedName
  /** The configured address; null for the feed's own. */
  readonly url: string | null
  readonly key: string | null
}

const ACCEPT = { json: 'application/json', xml: 'application/xml, text/xml;q=0.9' }
const KEY = /^[\x21-\x7e]{1,256}$/

/**
 * The configured feeds in their order. Nothing is fetched yet.
 *
 * Throws for an address that is not a URL. A feed whose upstream sends validators caches its last
 * response, and returns it again when the upstream says "not modified".
 */
export function createFeeds(settings: readonly FeedSettings[], deps: FetcherDeps): ReferenceFeed[] {
  return settings.map((setting, i) => {
    const { name } = setting
    const nth = settings.slice(0, i).filter((other) => other.name === name).length + 1
    const adapter = adapterAt(setting)
    return {
      id: nth === 1 ? name : `${name}-${nth}`,
      source: name,
      origin: adapter.origin ?? name,
      currencies: adapter.currencies ?? null,
      ask: askerOf(adapter, setting, deps),
    }
  })
}

function adapterAt({ name, url }: FeedSettings): Adapter {
  const adapter: Adapter = ADAPTERS[name]
  const version = adapter.older?.path.split('/')[0]
  const given = url === null ? [] : new URL(url).pathname.split('/')
  return version && given.includes(version) ? adapter.older! : adapter
}

type Remembered = { readonly validators: Validators; readonly answer: ReferenceAnswer }

function askerOf(
  adapter: Adapter,
  { url, key }: FeedSettings,
  deps: FetcherDeps,
): () => Promise<ReferenceAnswer> {
  const address = endpointUrl(url ?? adapter.home, adapter)
  let remembered: Remembered | null = null
  return async () => {
    const { text, validators } = await fetchDocument(
      {
        url: address,
        headers: { accept: ACCEPT[adapter.format], 'user-agent': 'corridor' },
        secretHeaders: secretHeadersOf(adapter, key),
        validators: remembered?.validators ?? null,
        ...(adapter.refusal && { refusal: adapter.refusal }),
      },
      deps,
    )
    if (text === null) return remembered!.answer
    const answer = adapter.parse(text)
    remembered = validators && { validators, answer }
    return answer
  }
}

function secretHeadersOf({ keyHeaders }: Adapter, key: string | null): Record<string, string> {
  if (!keyHeaders) return {}
  if (key === null) throw new FeedError('misconfigured', 'needs a key in REFERENCE_FEED_KEY')
  if (!KEY.test(key))
    throw new FeedError('misconfigured', 'has a key that is not valid in a header')
  return keyHeaders(key)
}
