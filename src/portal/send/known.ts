import { roundAmount } from '~/domain/round.ts'
import type { View } from '~/memory/view.ts'
import { moneyAndPercent } from '~/portal/board/cost-text.ts'
import { isOffered } from '~/portal/board/provider-table.tsx'
import type { Pair } from '~/portal/place/pair.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Conversions } from '~/service/convert.ts'
import type { SendQuery } from './query.ts'

/** The countries of a pair as values of a message, in their form within a sentence. */
export const pairValues = ({ inSentence }: Words, { source, target }: Pair) => ({
  source: inSentence(source),
  target: inSentence(target),
})

export const sendTitle = (words: Words, pair: Pair): string =>
  words.say('send.title', pairValues(words, pair))

type Known = { readonly conversions: Conversions | null; readonly view: View }

/** The best amount that arrives and its cost, as a page's lead; null if either is unknown. */
export function sendLead(words: Words, { conversions, view }: Known): string | null {
  const best = conversions?.bestCurrent
  if (!best?.net || best.sent === null || !best.cost || best.match?.match !== 'exact') return null
  const { from, to } = conversions!.corridor
  const source = view.catalogue.currency(from)!
  const { total, totalPct } = best.cost
  const money = words.priceText(Math.abs(total), source)
  const percent = words.percentText(Math.abs(totalPct))
  return words.say(totalPct < 0 ? 'send.lead-better' : 'send.lead', {
    sent: words.askedText(best.sent, source),
    provider: best.ranked.provider.name,
    gets: words.priceText(best.net, view.catalogue.currency(to)!),
    cost: moneyAndPercent(words, money, percent),
  })
}

/** Description of the page, for search engines and messages. */
export function sendDescription(
  words: Words,
  { query, conversions, view }: Known & { readonly query: SendQuery },
): string {
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

/**
 * The mid-market rate in the words of schema.org; nothing without one, or within one currency.
 * https://schema.org/ExchangeRateSpecification
 */
export function rateFacts({ mid, corridor: { from, to } }: Conversions) {
  if (!mid || from === to) return {}
  const facts = {
    ...{ '@context': 'https://schema.org', '@type': 'ExchangeRateSpecification' },
    currency: from,
    currentExchangeRate: {
      '@type': 'UnitPriceSpecification',
      ...{ price: roundAmount(mid.rate), priceCurrency: to },
      validFrom: new Date(mid.atMs).toISOString(),
    },
  }
  return { facts }
}
