/** The maximum length of a name; a longer string is not a name. */
export const NAME_LENGTH_MAX = 64

const MARKS = /\p{M}/gu
const SIGNS = /[^\p{L}\p{N}]+/gu
/** Shorter words end in s of themselves: US. */
const PLURAL_LENGTH_MIN = 4

/**
 * The words of a name in the form in which names are compared: without case, accents, signs,
 * articles and a plural's s. "The Swiss francs" and "swiss Franc" are the same.
 */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(MARKS, '').toLowerCase().replace(SIGNS, ' ').trim()
  return plain.split(' ').flatMap((word) => {
    if (word === '' || word === 'the') return []
    return [word.length >= PLURAL_LENGTH_MIN && word.endsWith('s') ? word.slice(0, -1) : word]
  })
}

export const joined = (name: string): string =>
  name.length > NAME_LENGTH_MAX ? '' : wordsOf(name).join('')

/** Reports whether each word of a query begins a word of the given strings. */
export function hasWords(texts: readonly string[], query: string): boolean {
  const own = texts.flatMap(wordsOf)
  return wordsOf(query).every((word) => own.some((one) => one.startsWith(word)))
}
