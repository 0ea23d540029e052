import { ENGLISH } from './words/words.ts'

/** Notation of numbers and times on the pages that are in English alone. */
export const amountText = ENGLISH.amountText
export const askedText = ENGLISH.askedText
export const clockText = ENGLISH.clockText
export const momentText = ENGLISH.momentText
export const percentText = ENGLISH.percentText
export const priceText = ENGLISH.priceText
export const rateText = ENGLISH.rateText
export const spanText = ENGLISH.spanText

export { moneyOf, plainNumberText, rateDecimals } from './words/format.ts'
