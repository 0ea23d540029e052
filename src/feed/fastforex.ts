import { FeedError } from '~/domain/feed/feed.ts'
import type { Adapter } from './adapter.ts'
import { exactJson, objectOf, textOf } from './exact-json.ts'
import { unitsPerUsd, utcMs } from './rates.ts'

/**
 * fastFOREX: over 140 currencies per USD, by the minute, with a key.
 *
 * It documents 400, 401, 403 and 429, without bodies. Its `updated` was a UTC time without zone
 * (`2021-01-16 17:14:51`) and became ISO with `Z`; both are read. Source:
 * https://github.com/fastforex/openapi
 */
export const fastForex: Adapter = {
  attribution: {
    text: 'Exchange rates by fastFOREX.io',
    url: 'https://www.fastforex.io',
    licence: 'https://www.fastforex.io/terms-of-sale: by plan',
  },
  home: 'https://api.fastforex.io',
  path: 'fetch-all',
  query: { from: 'USD' },
  format: 'json',
  keyHeaders: (key) => ({ 'x-api-key': key }),
  parse(text) {
    const root = objectOf(exactJson(text), 'a document')
    if (root.has('error')) throw new FeedError('upstream_error', 'returned an error')
    return {
      base: textOf(root, 'base'),
      upstreamMs: utcMs(textOf(root, 'updated')),
      perUsd: unitsPerUsd(objectOf(root.get('results'), 'results')),
    }
  },
}
