import type { Freshness } from '~/domain/freshness.ts'
import { converted, type FeeMids, type Priced, type Prices } from '~/service/convert.ts'
import { presentConvert } from '~/wire/convert.ts'
import type { Detailed } from '~/wire/list/detail.ts'
import { freshnessText } from '~/wire/present.ts'
import type { Body } from './answer-cache.ts'
import { ByteText } from './byte-text.ts'
import { ConvertSheet } from './convert-sheet.ts'

type Printed = { readonly prices: Prices; readonly sheet: ConvertSheet }

/** Cache 4 of a read, see docs/architecture.md. */
const printed = new WeakMap<Prices['offers'], Printed>()
const text = new ByteText()

/**
 * The JSON of `presentConvert`, byte for byte. For a new amount to send in the short form, only the
 * sums are written again.
 */
export function convertText(found: Priced & Detailed, freshness: Freshness): Body {
  const { prices, goal, detail } = found
  if (prices.offers.length === 0 || goal.amount === null || detail === 'full')
    return JSON.stringify(presentConvert({ ...converted(found), detail }, freshness))
  sheetOf(prices).write(text.clear(), goal.amount)
  return text.ascii(freshnessText(freshness)).bytes
}

function sheetOf(prices: Prices): ConvertSheet {
  const known = printed.get(prices.offers)
  if (known && known.prices.mid === prices.mid && isSame(known.prices.feeMids, prices.feeMids))
    return known.sheet
  const sheet = new ConvertSheet(prices)
  printed.set(prices.offers, { prices, sheet })
  return sheet
}

function isSame(some: FeeMids, others: FeeMids): boolean {
  if (some === others) return true
  if (some.size !== others.size) return false
  for (const [code, rate] of some) if (others.get(code) !== rate) return false
  return true
}
