import type { View } from '~/memory/view.ts'
import { isOffered } from '~/portal/board/provider-table.tsx'
import type { Pair } from '~/portal/place/pair.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Conversions } from '~/service/convert.ts'
import type { SendQuery } from './query.ts'

/** The countries of a pair as values of a message, as they stand within a sentence. */
export const pairValues = ({ inSentence }: Words, { source, target }: Pair) => ({
  source: inSentence(source),
  target: inSentence(target),
})

export const sendTitle = (words: Words, pair: Pair): string =>
  words.say('send.title', pairValues(words, pair))

type Told = {
  readonly query: SendQuery
  readonly conversions: Conversions | null
  readonly view: View
}

/** What the page says, for those who find it elsewhere. */
export function sendDescription(words: Words, { query, conversions, view }: Told): string {
  const { say, priceText, askedText } = words
  const { pair, corridor } = query
  const countries = pairValues(words, pair)
  const count = conversions?.entries.filter(isOffered).length ?? 0
  if (!conversions || count === 0) return say('send.description-none', countries)
  const { bestCurrent: best, amount } = conversions
  const start = say('send.description', { ...countries, count })
  if (!best?.net || amount === null || best.match?.match !== 'exact') return start
  const gets = priceText(best.net, view.catalogue.currency(corridor.to)!)
  const sent = askedText(best.sent ?? amount, view.catalogue.currency(corridor.from)!)
  const provider = best.ranked.provider.name
  return `${start} ${say('send.description-best', { gets, sent, provider })}`
}
