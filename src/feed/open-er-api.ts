import { FeedError } from '~/domain/feed/feed.ts'
import type { Adapter } from './adapter.ts'
import { exactJson, objectOf, textOf, unixMsOf } from './exact-json.ts'
import { unitsPerUsd } from './rates.ts'

const REFUSALS = [
  'unsupported-code',
  'malformed-request',
  'invalid-key',
  'inactive-account',
  'quota-reached',
  'plan-upgrade-required',
  'no-data-available',
]

/**
 * ExchangeRate-API's open access endpoint: about 160 currencies per USD, once a day, no key.
 *
 * More than one request an hour may get 429 for 20 minutes.
 * Source: https://www.exchangerate-api.com/docs/free
 */
export const openErApi: Adapter = {
  attribution: {
    text: 'Rates By Exchange Rate API',
    url: 'https://www.exchangerate-api.com',
    licence: 'https://www.exchangerate-api.com/terms: attribution; no redistribution',
  },
  home: 'https://open.er-api.com',
  path: 'v6/latest/USD',
  format: 'json',
  parse(text) {
    const root = objectOf(exactJson(text), 'a document')
    if (root.get('result') === 'error') {
      const word = refusalOf(root.get('error-type'))
      throw new FeedError('upstream_error', `returned an error${word ? ` (${word})` : ''}`)
    }
    if (root.get('result') !== 'success')
      throw new FeedError('malformed', 'does not say that it succeeded')
    return {
      base: textOf(root, 'base_code'),
      upstreamMs: unixMsOf(root, 'time_last_update_unix'),
      perUsd: unitsPerUsd(objectOf(root.get('rates'), 'rates')),
    }
  },
  refusal: (text) => refusalOf(objectOf(exactJson(text), 'an error').get('error-type')),
}

const refusalOf = (value: unknown): string | null => REFUSALS.find((word) => word === value) ?? null
