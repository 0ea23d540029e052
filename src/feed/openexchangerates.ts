import { FeedError } from '~/domain/feed/feed.ts'
import type { Adapter } from './adapter.ts'
import { exactJson, objectOf, textOf, unixMsOf } from './exact-json.ts'
import { unitsPerUsd } from './rates.ts'

const REFUSALS = [
  'not_found',
  'missing_app_id',
  'invalid_app_id',
  'not_allowed',
  'access_restricted',
  'invalid_base',
]

/**
 * Open Exchange Rates: about 170 currencies per USD, hourly, with an App ID.
 *
 * It sends an ETag; the App ID goes into the Authorization header, documented as an alternative to
 * `app_id`. Source: https://docs.openexchangerates.org
 */
export const openExchangeRates: Adapter = {
  attribution: {
    text: 'Exchange rates by Open Exchange Rates',
    url: 'https://openexchangerates.org',
    licence: 'https://openexchangerates.org/license: by plan; not for resale',
  },
  home: 'https://openexchangerates.org',
  path: 'api/latest.json',
  format: 'json',
  keyHeaders: (key) => ({ authorization: `Token ${key}` }),
  parse(text) {
    const root = objectOf(exactJson(text), 'a document')
    if (root.get('error') === true) {
      const word = refusalOf(root.get('message'))
      throw new FeedError('upstream_error', `returned an error${word ? ` (${word})` : ''}`)
    }
    return {
      base: textOf(root, 'base'),
      upstreamMs: unixMsOf(root, 'timestamp'),
      perUsd: unitsPerUsd(objectOf(root.get('rates'), 'rates')),
    }
  },
  refusal: (text) => refusalOf(objectOf(exactJson(text), 'an error').get('message')),
}

const refusalOf = (value: unknown): string | null => REFUSALS.find((word) => word === value) ?? null
