import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type AmountRange, nearestRanges } from '~/domain/offer/band.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Lack } from '~/service/convert.ts'

/** The maximum number of ranges of amounts that are named. */
const RANGES_MAX = 3

type Asked = { readonly corridor: Corridor; readonly amount: number | null }

/** Why no price is the best although some are shown. */
export function lackText(words: Words, lack: Lack, { corridor, amount }: Asked): string {
  const key = corridorKey(corridor)
  if (lack.reason === 'suspect') return words.say('lack.suspect', { corridor: key })
  const ranges = nearestRanges(lack.known, { amount, max: RANGES_MAX })
  const known = words.listText(ranges.map((range) => rangeText(words, range)))
  return words.say('lack.known', { corridor: key, known, code: corridor.from })
}

function rangeText({ say, plainAmountText }: Words, { least, most }: AmountRange): string {
  const text = (amount: number) => plainAmountText(roundAmount(amount))
  if (least === 0) return say('lack.up-to', { amount: text(most) })
  if (most === Number.POSITIVE_INFINITY) return say('lack.or-more', { amount: text(least) })
  return say('span.range', { least: text(least), most: text(most) })
}
