import type { Freshness } from '~/domain/freshness.ts'
import type { Mid } from '~/domain/mid.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'
import { iso, presentFreshness } from './present.ts'

/** What of an entry is the same for every amount: the text before, between and after its sums. */
type EntryText = {
  readonly vsMidBps: number | null
  readonly head: string
  readonly tail: string
}

const entries = new WeakMap<RankedQuote, EntryText>()
const mids = new WeakMap<Mid, { readonly head: string; readonly tail: string }>()

/**
 * The text of `presentConvert`, letter by letter, for an amount that nobody has asked for before.
 *
 * Only sums are written anew; the rest of an entry is written once for as long as its quote, its
 * spread and the mid stay.
 */
export function convertText(
  { corridor, amount, mid, best, entries: shown }: Conversions,
  freshness: Freshness,
): string {
  let bestText = 'null'
  let list = ''
  for (const entry of shown) {
    const text = entryText(entry)
    if (entry === best) bestText = text
    list += list === '' ? text : `,${text}`
  }
  const tail = JSON.stringify(presentFreshness(freshness)).slice(1)
  return `{"from":"${corridor.from}","to":"${corridor.to}","amount":${amount},"mid":${midText(
    mid,
    amount,
  )},"best":${bestText},"providers":[${list}],"count":${shown.length},${tail}`
}

function entryText(entry: Conversion): string {
  const { head, tail } = partsOf(entry)
  const net = entry.net === null ? null : roundAmount(entry.net)
  return `${head}${roundAmount(entry.converted)},"net_converted":${net}${tail}`
}

function partsOf({ ranked, vsMidBps }: Conversion): EntryText {
  const known = entries.get(ranked)
  if (known && known.vsMidBps === vsMidBps) return known
  const { quote, provider, spreadBps } = ranked
  const head = JSON.stringify({
    provider_id: provider.id,
    provider_name: provider.name,
    rate: roundAmount(quote.rate),
    fee: quote.fee === null ? null : roundAmount(quote.fee),
    fee_currency: quote.feeCurrency,
  })
  const tail = JSON.stringify({
    spread_bps: roundBps(spreadBps),
    ...(vsMidBps !== null && { vs_mid_bps: roundBps(vsMidBps) }),
    rate_type: quote.rateType,
  })
  const parts = {
    vsMidBps,
    head: `${head.slice(0, -1)},"converted":`,
    tail: `,${tail.slice(1)}`,
  }
  entries.set(ranked, parts)
  return parts
}

function midText(mid: Mid | null, amount: number): string {
  if (!mid) return 'null'
  let parts = mids.get(mid)
  if (!parts) {
    const source = JSON.stringify({ source: mid.source, fetched_at: iso(mid.atMs) })
    parts = { head: `{"rate":${roundAmount(mid.rate)},"converted":`, tail: `,${source.slice(1)}` }
    mids.set(mid, parts)
  }
  return parts.head + roundAmount(amount * mid.rate) + parts.tail
}
