/**
 * Matches characters that show nothing or change how others are shown: control characters, halves
 * of surrogate pairs, line separators, direction marks, and characters without width. Selectors of
 * an emoji's look have no width either, and are fine.
 */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v

/** Matches visible characters. */
const SEEN = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/v

export const isOneLine = (text: string): boolean => SEEN.test(text) && !HIDDEN.test(text)

/** The rule, as people read it behind a number of characters. */
export const ONE_LINE_RULE = 'on one line, none of which is hidden or turns its direction'
