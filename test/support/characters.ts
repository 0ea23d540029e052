import fc from 'fast-check'

const SURROGATES_FROM = 0xd800
const SURROGATES = 0x800

/**
 * Any character of Unicode, as fast-check's unit `binary` has them. To decide which strings contain
 * it, `binary` builds a map of all million, which takes a second of CPU in each process.
 */
export const character = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (place) => String.fromCodePoint(place < SURROGATES_FROM ? place : place + SURROGATES),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not one')
    if (code >= SURROGATES_FROM && code < SURROGATES_FROM + SURROGATES)
      throw new Error('half a one')
    return code < SURROGATES_FROM ? code : code - SURROGATES
  },
)
