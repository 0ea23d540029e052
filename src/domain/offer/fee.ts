import type { Quote } from '~/domain/quote.ts'

/** What is charged beside the fee, in percent of the amount sent. */
export const feePercentOf = ({ offer }: Quote): number => offer?.feePercent ?? 0

/** Whether anybody said what is charged, be it nothing. */
export const isFeeStated = ({ fee, offer }: Quote): boolean =>
  fee !== null || (offer?.feePercent ?? null) !== null
