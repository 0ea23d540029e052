import { FeedError } from '~/domain/feed/feed.ts'
import type { Adapter } from './adapter.ts'
import { ecb } from './ecb.ts'
import { exactJson, Numeral, objectOf, textOf } from './exact-json.ts'
import { dateMs, perDollar, unitsPerUsd } from './rates.ts'

/**
 * Frankfurter v1: the ECB's reference rates as JSON, each working day, no key; it can be
 * self-hosted.
 *
 * It is asked for its own base, the euro, because it rounds rates in any other (to five digits at
 * most); an answer per USD is read too. Errors are `{"message"}` with 404 or 422. It answers ETag.
 * Source: https://frankfurter.dev/v1/ and https://github.com/lineofflight/frankfurter
 */
export const frankfurter: Adapter = {
  origin: 'ecb',
  attribution: {
    text: 'Euro reference rates of the European Central Bank by way of Frankfurter',
    url: 'https://frankfurter.dev',
    licence: 'MIT (the software); ECB statistics: free reuse, source named',
  },
  home: 'https://api.frankfurter.dev',
  path: 'v1/latest',
  format: 'json',
  currencies: ecb.currencies!,
  parse(text) {
    const root = objectOf(exactJson(text), 'a document')
    if (!root.has('rates') && root.has('message'))
      throw new FeedError('upstream_error', 'answered an error')
    const amount = root.get('amount')
    if (!(amount instanceof Numeral) || Number(amount.text) !== 1)
      throw new FeedError('malformed', 'gives rates for another amount than 1')
    return perDollar({
      base: textOf(root, 'base'),
      upstreamMs: dateMs(textOf(root, 'date')),
      perUsd: unitsPerUsd(objectOf(root.get('rates'), 'rates')),
    })
  },
}
