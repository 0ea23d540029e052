const PLAIN = /^(?=\.?\d)\d{0,40}(\.\d{1,40})?$/
const GROUPED = /^[1-9]\d{0,2}([\s,'’\u066c])\d{3}(?:\1\d{3})*(?:\.\d{1,40})?$/
const GROUPED_BY_POINTS = /^[1-9]\d{0,2}(?:\.\d{3}){2,}$/
const DECIMAL_COMMA = /^(\d{1,40}|[1-9]\d{0,2}([\s.'’])\d{3}(?:\2\d{3})*),(\d{1,2})$/
const DECIMALS_ALONE = /^0?,(\d{1,40})$/
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g

/**
 * The number that a person wrote, grouped or not, with a decimal point or with a decimal comma and
 * one or two digits, in Western or in Arabic digits; null for any other string.
 *
 * Ambiguous strings are decided: `1,250` is grouped, and `1.500` is one and a half, as in the API;
 * `readsAsDecimals` reports the latter. `1.250.000` and `0,500` can be read in one way.
 */
export function writtenNumber(text: string): number | null {
  const western = text
    .replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\u066b', '.')
  const [, whole, , cents] = DECIMAL_COMMA.exec(western) ?? []
  if (whole && cents) return Number(`${digitsOf(whole)}.${cents}`)
  const [, decimals] = DECIMALS_ALONE.exec(western) ?? []
  if (decimals) return Number(`0.${decimals}`)
  if (GROUPED.test(western)) return Number(western.replace(/[^\d.]/g, ''))
  if (GROUPED_BY_POINTS.test(western)) return Number(digitsOf(western))
  return PLAIN.test(western) ? Number(western) : null
}

const digitsOf = (text: string): string => text.replace(/\D/g, '')

/** Reports whether a point was read as decimal, though elsewhere it groups: `1.500`. */
export const readsAsDecimals = (text: string): boolean => /^[1-9]\d{0,2}\.\d{3}$/.test(text)
