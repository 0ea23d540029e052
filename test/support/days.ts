import { USD } from '~/domain/currency.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import { newestFirst } from '~/domain/quote.ts'

/** Results of probes among `references`, computed naively. */
export const answersOf = (
  references: readonly Reference[],
  probes: readonly Probe[],
): ProbeAnswer[] =>
  probes.map(({ currency, atMs }) => {
    const [newest = null] = references
      .filter((one) => (currency === USD || one.currency === currency) && one.atMs <= atMs)
      .sort(newestFirst)
    const reference = newest && currency === USD ? { ...newest, currency, perUsd: 1 } : newest
    return { currency, atMs, reference }
  })

/** A lookup without any recorded reference. */
export const noReferences = async (probes: readonly Probe[]): Promise<ProbeAnswer[]> =>
  answersOf([], probes)
