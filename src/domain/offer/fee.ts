import type { Quote } from '~/domain/quote.ts'

/** Percentage of the sent amount that is charged on top of the fee. */
export const feePercentOf = ({ offer }: Quote): number => offer?.feePercent ?? 0

export const isFeeStated = ({ fee, offer }: Quote): boolean =>
  fee !== null || (offer?.feePercent ?? null) !== null
