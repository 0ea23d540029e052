import type { Suspicion } from '~/domain/price/suspect.ts'
import type { Words } from '~/portal/words/words.ts'

const DECIMALS = 10

/** Distance of a rate from its mid, in words that follow "suspect". */
export function suspectText({ say, plainPercentText }: Words, suspicion: Suspicion): string {
  const { offPct, isOfDay } = suspicion
  const off = plainPercentText(Math.round(Math.abs(offPct) * DECIMALS) / DECIMALS)
  const side = offPct > 0 ? 'above' : 'below'
  return say(isOfDay ? `suspect.${side}-day` : `suspect.${side}-current`, { off })
}
