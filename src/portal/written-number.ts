const GROUPING = /[\s,'’\u066c]/g
const DECIMALS = String.raw`(\.\d{1,40})?`
const PLAIN = new RegExp(String.raw`^(?=\.?\d)\d{0,40}${DECIMALS}$`)
const GROUPED = new RegExp(String.raw`^\d{1,3}(?:[\s,'’\u066c]\d{3})+${DECIMALS}$`)
const DECIMAL_COMMA = /^(\d{1,40}|\d{1,3}(?:[\s.'’]\d{3})+),(\d{1,2})$/
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g

/**
 * The number that a person wrote, grouped or not, with a decimal point or with a decimal comma and
 * one or two digits, in Western or in Arabic digits; null for any other text. `1,250` is grouped
 * and `1.500` is one and a half, as in the API.
 */
export function writtenNumber(text: string): number | null {
  const western = text
    .replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\u066b', '.')
  const [, whole, cents] = DECIMAL_COMMA.exec(western) ?? []
  if (whole && cents) return Number(`${whole.replace(/\D/g, '')}.${cents}`)
  if (GROUPED.test(western)) return Number(western.replace(GROUPING, ''))
  return PLAIN.test(western) ? Number(western) : null
}
