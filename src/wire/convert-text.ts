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
  const { from, to } = corridor
  const parts = [`{"from":"${from}","to":"${to}","amount":${amount},"mid":`]
  addMid(parts, mid, amount)
  parts.push(',"best":')
  if (best) addEntry(parts, best)
  else parts.push('null')
  parts.push(',"providers":[')
  for (let i = 0; i < shown.length; i++) {
    if (i > 0) parts.push(',')
    addEntry(parts, shown[i]!)
  }
  const tail = JSON.stringify(presentFreshness(freshness)).slice(1)
  parts.push(`],"count":${shown.length},${tail}`)
  return parts.join('')
}

/** Adds the text of an entry: joined once, at the end, a long text costs a third less. */
function addEntry(parts: string[], entry: Conversion): void {
  const { head, tail } = partsOf(entry)
  const net = entry.net === null ? null : roundAmount(entry.net)
  parts.push(head, String(roundAmount(entry.converted)), ',"net_converted":', String(net), tail)
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

function addMid(parts: string[], mid: Mid | null, amount: number): void {
  if (!mid) return void parts.push('null')
  let known = mids.get(mid)
  if (!known) {
    const source = JSON.stringify({ source: mid.source, fetched_at: iso(mid.atMs) })
    known = { head: `{"rate":${roundAmount(mid.rate)},"converted":`, tail: `,${source.slice(1)}` }
    mids.set(mid, known)
  }
  parts.push(known.head, String(roundAmount(amount * mid.rate)), known.tail)
}
