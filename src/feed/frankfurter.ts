import { FeedError } from '~/domain/feed/feed.ts'
import { GUARD_RULES } from '~/domain/feed/guard.ts'
import type { Adapter } from './adapter.ts'
import { ecb } from './ecb.ts'
import { type ExactJson, exactJson, Numeral, objectOf, textOf } from './exact-json.ts'
import { dateMs, perDollar, unitsPerUsd } from './rates.ts'

const attribution = {
  text: 'Reference rates of central banks by way of Frankfurter',
  url: 'https://frankfurter.dev',
  licence: 'MIT (the software); central banks: source named',
}

/**
 * Frankfurter v1: the ECB's reference rates as JSON, each working day, no key; it can be
 * self-hosted.
 *
 * It is queried in its own base, the euro, because it rounds rates in any other (to five digits at
 * most); a response per USD is read too. Errors are `{"message"}` with 404 or 422. It sends ETag.
 * Source: https://frankfurter.dev/v1/ and https://github.com/lineofflight/frankfurter
 */
const frankfurterV1: Adapter = {
  origin: 'ecb',
  attribution,
  home: 'https://api.frankfurter.dev',
  path: 'v1/latest',
  format: 'json',
  currencies: ecb.currencies!,
  parse(text) {
    const root = objectOf(withoutError(exactJson(text)), 'a document')
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

/**
 * Frankfurter v2: the official rates of many central banks, blended, each day, no key; it can be
 * self-hosted.
 *
 * A list of `{date, base, quote, rate}`, in which each currency has a date of its own. The newest
 * date is that of the response, and rates a week older are skipped. Errors are `{"message"}`. An
 * address that contains v1 is read as v1.
 * Source: https://frankfurter.dev and https://github.com/lineofflight/frankfurter
 */
export const frankfurter: Adapter = {
  attribution,
  home: 'https://api.frankfurter.dev',
  path: 'v2/rates',
  query: { base: 'USD' },
  format: 'json',
  older: frankfurterV1,
  parse(text) {
    const root = withoutError(exactJson(text))
    if (!Array.isArray(root) || root.length === 0)
      throw new FeedError('malformed', 'gives no list of rates')
    const rows = root.map((value) => {
      const row = objectOf(value, 'a rate')
      const [base, quote] = [textOf(row, 'base'), textOf(row, 'quote')]
      return { base, quote, rate: row.get('rate')!, atMs: dateMs(textOf(row, 'date')) }
    })
    const { base } = rows[0]!
    if (rows.some((row) => row.base !== base))
      throw new FeedError('malformed', 'gives rates of several bases')
    const upstreamMs = rows.reduce((newestMs, { atMs }) => Math.max(newestMs, atMs), 0)
    const rates = new Map<string, ExactJson>()
    for (const { quote, rate, atMs } of rows) {
      if (rates.has(quote)) throw new FeedError('malformed', `gives ${quote} twice`)
      if (atMs >= upstreamMs - GUARD_RULES.upstreamAgeMaxMs) rates.set(quote, rate)
    }
    return { base, upstreamMs, perUsd: unitsPerUsd(rates) }
  },
}

function withoutError(root: ExactJson): ExactJson {
  if (root instanceof Map && !root.has('rates') && root.has('message'))
    throw new FeedError('upstream_error', 'returned an error')
  return root
}
