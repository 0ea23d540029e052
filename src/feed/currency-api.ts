import type { Adapter } from './adapter.ts'
import { exactJson, objectOf, textOf } from './exact-json.ts'
import { dateMs, unitsPerUsd } from './rates.ts'

/**
 * fawazahmed0's exchange-api: about 200 currencies and many coins per USD, once a day, no key.
 *
 * A static file behind a CDN with ETag; errors are the CDN's. Its maintainer names a second
 * address, https://latest.currency-api.pages.dev, to be configured as a further `currency-api` in
 * the list.
 * Source: https://github.com/fawazahmed0/exchange-api
 */
export const currencyApi: Adapter = {
  attribution: {
    text: 'Reference rates of @fawazahmed0/currency-api',
    url: 'https://github.com/fawazahmed0/exchange-api',
    licence: 'CC0 1.0',
  },
  home: 'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest',
  path: 'v1/currencies/usd.min.json',
  format: 'json',
  parse(text) {
    const root = objectOf(exactJson(text), 'a document')
    const base = [...root.keys()].find((name) => name !== 'date') ?? ''
    return {
      base: base.toUpperCase(),
      upstreamMs: dateMs(textOf(root, 'date')),
      perUsd: unitsPerUsd(objectOf(root.get(base), 'rates')),
    }
  },
}
