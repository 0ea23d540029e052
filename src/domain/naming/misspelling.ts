/** The maximum number of letters that may be wrong in a misspelled word. */
const WRONG_LETTERS_MAX = 2

/**
 * The name in `names` that `word` most likely misspells; null when `word` is one of the names, or
 * resembles none of them.
 *
 * A word resembles a name when they differ in case only, or in at most `wrongMax` letters (two
 * unless said) that are wrong, missing, added or swapped with the next, and more letters are right
 * than wrong: `id` is not taken for `to`.
 */
export const meantBy = (
  word: string,
  names: readonly string[],
  wrongMax = WRONG_LETTERS_MAX,
): string | null => nearestOf(word, names, wrongMax).names[0] ?? null

export type Nearest = {
  readonly names: readonly string[]
  /** The number of letters that are wrong in each of the names. */
  readonly wrong: number
}

/** `meantBy` with all the names that are equally near, and their distance. */
export function nearestOf(
  word: string,
  names: readonly string[],
  wrongMax = WRONG_LETTERS_MAX,
): Nearest {
  if (names.includes(word)) return { names: [], wrong: 0 }
  const folded = word.toLowerCase()
  let meant: string[] = []
  let least = wrongMax + 1
  for (const name of names) {
    const length = Math.max(name.length, word.length)
    if (2 * length - name.length - word.length > wrongMax) continue
    const wrong = wrongLetters(folded, name, least)
    if (wrong > least || wrong > wrongMax || 2 * wrong >= length) continue
    meant = wrong < least ? [name] : [...meant, name]
    least = wrong
  }
  return { names: meant, wrong: least }
}

/** The optimal string alignment distance, row by row; of more than `most`, any number above it. */
function wrongLetters(word: string, name: string, most: number): number {
  let before: number[] = []
  let above = Array.from({ length: name.length + 1 }, (_, column) => column)
  for (let i = 1; i <= word.length; i++) {
    const row = [i]
    for (let j = 1; j <= name.length; j++) {
      const replaced = above[j - 1]! + (word[i - 1] === name[j - 1] ? 0 : 1)
      row[j] = Math.min(replaced, above[j]! + 1, row[j - 1]! + 1)
      const isSwapped = i > 1 && j > 1 && word[i - 1] === name[j - 2] && word[i - 2] === name[j - 1]
      if (isSwapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    if (Math.min(...row) > most) return most + 1
    before = above
    above = row
  }
  return above[name.length]!
}
