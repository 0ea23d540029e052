import type { View } from '~/memory/view.ts'
import { isOffered } from '~/portal/board/provider-table.tsx'
import { askedText, priceText } from '~/portal/format.ts'
import { inSentence } from '~/portal/place/names.ts'
import type { Pair } from '~/portal/place/pair.ts'
import type { Conversions } from '~/service/convert.ts'
import type { SendQuery } from './query.ts'

export const sendTitle = ({ source, target }: Pair): string =>
  `Send money from ${inSentence(source)} to ${inSentence(target)}`

/** What the page says, for those who find it elsewhere. */
export function sendDescription(
  { pair, corridor }: SendQuery,
  conversions: Conversions | null,
  { catalogue }: View,
): string {
  const countries = `from ${inSentence(pair.source)} to ${inSentence(pair.target)}`
  const count = conversions?.entries.filter(isOffered).length ?? 0
  if (!conversions || count === 0) return `Prices of sending money ${countries}.`
  const { bestCurrent: best, amount } = conversions
  const compared = count === 1 ? 'one price' : `${count} prices`
  const start = `Sending money ${countries}: ${compared} compared, fees and exchange rate included.`
  if (!best?.net || amount === null || best.match?.match !== 'exact') return start
  const gets = priceText(best.net, catalogue.currency(corridor.to)!)
  const sent = askedText(best.sent ?? amount, catalogue.currency(corridor.from)!)
  return `${start} At best ${gets} arrives for ${sent}, with ${best.ranked.provider.name}.`
}
