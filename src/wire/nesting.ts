/** The deepest nesting accepted; no request needs more. */
export const NESTING_MAX = 20

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A bracket with this bit is a brace, which opens and closes as it does. */
const BRACE = 0x20
const OPENING = 0x5b
const CLOSING = 0x5d

/**
 * Reports whether a JSON string nests lists and objects deeper than `NESTING_MAX`, which would be
 * slow to parse. For a string that is not JSON the result is meaningless and harmless.
 */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) i += code === BACKSLASH ? 1 : 0
    else if ((code & ~BRACE) === OPENING && ++depth > NESTING_MAX) return true
    else if ((code & ~BRACE) === CLOSING) depth--
  }
  return false
}
