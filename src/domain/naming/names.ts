import { type Nearest, nearestOf } from './misspelling.ts'
import { joined, NAME_LENGTH_MAX, wordsOf } from './words.ts'

/** Something that has an id, and names by which people call it. */
type Named = {
  readonly id: string
  readonly names: readonly string[]
  /** Further words that people put in, such as the country of a currency. */
  readonly words?: readonly string[]
  /** Other words that people misspell, such as the cities of a country. */
  readonly misspelt?: readonly string[]
}

/** Meaning of a string among things with names. */
export type Meaning =
  | { readonly kind: 'one'; readonly id: string }
  /** Two or more, in the order in which they were given. */
  | { readonly kind: 'several'; readonly ids: readonly string[] }
  /** None; `near` are those whose name was probably misspelt, in `wrong` letters. */
  | { readonly kind: 'none'; readonly near: readonly string[]; readonly wrong: number }

/** Three letters are a code, to which many others are near. */
const NEAR_LENGTH_MIN = 4

export const NOTHING: Meaning = { kind: 'none', near: [], wrong: Number.POSITIVE_INFINITY }

type Entry = { readonly id: string; readonly words: ReadonlySet<string> }

/** Finds things by what people call them. */
export class Names {
  readonly #entries: readonly Entry[]
  readonly #words: ReadonlySet<string>
  readonly #byId: ReadonlyMap<string, string>
  /** The ids of everything of one name, by the words of the name, or of the id, in one. */
  readonly #byName: ReadonlyMap<string, readonly string[]>

  /** `#byName` for the names that a string may misspell: ids, and names that are not short. */
  readonly #nearable: ReadonlyMap<string, readonly string[]>

  constructor(all: readonly Named[]) {
    this.#byId = new Map(all.map(({ id }) => [id.toLowerCase(), id]))
    this.#entries = all.map(({ id, names, words = [] }) => ({
      id,
      words: new Set([...names, ...words].flatMap(wordsOf)),
    }))
    this.#words = new Set(this.#entries.flatMap((entry) => [...entry.words]))
    this.#byName = idsByName(all, ({ id, names }) => [id, ...names])
    this.#nearable = idsByName(all, ({ id, names, misspelt = [] }) => [
      id,
      ...[...names, ...misspelt].filter((name) => name.length >= NEAR_LENGTH_MIN),
    ])
  }

  /**
   * Meaning of a string: the thing with that id, else those with that whole name, else all whose
   * names have each of its words. Case, accents, signs and plurals make no difference, and words
   * may be written together: "mpesa" is M-Pesa.
   */
  meaning(text: string): Meaning {
    const exact = this.exact(text)
    if (exact.kind !== 'none' || text.length > NAME_LENGTH_MAX) return exact
    const words = wordsOf(text)
    if (words.length === 0) return NOTHING
    const ids = this.#having(words.map((word) => [word]))
    if (ids.length > 0) return meaningOf(ids)
    const word = words.join('')
    const said = this.#nearable.get(word)
    if (said) return { kind: 'none', near: said, wrong: 0 }
    const { names, wrong } = nearest(word, this.#nearable.keys())
    const near = [...new Set(names.flatMap((name) => this.#nearable.get(name)!))]
    return near.length > 0 ? { kind: 'none', near, wrong } : this.#nearBy(words)
  }

  /** Things whose names have each of the words, after correcting misspelt ones. */
  #nearBy(words: readonly string[]): Meaning {
    const choices = words.map((word) =>
      this.#words.has(word) ? { names: [word], wrong: 0 } : nearest(word, this.#words),
    )
    const near = this.#having(choices.map(({ names }) => names))
    const wrong = Math.max(...choices.map((choice) => choice.wrong))
    return near.length === 0 ? NOTHING : { kind: 'none', near, wrong }
  }

  /** Things whose names have one word of each of the choices. */
  #having(choices: readonly (readonly string[])[]): readonly string[] {
    return this.#entries
      .filter((entry) => choices.every((all) => all.some((word) => entry.words.has(word))))
      .map(({ id }) => id)
  }

  /** `meaning` by id or by a whole name alone, without near matches. */
  exact(text: string): Meaning {
    if (text.length > NAME_LENGTH_MAX) return NOTHING
    const id = this.#byId.get(text.trim().toLowerCase())
    return id === undefined ? meaningOf(this.#byName.get(joined(text)) ?? []) : { kind: 'one', id }
  }
}

/** The ids of everything of one name, by the words of the name in one. */
function idsByName(all: readonly Named[], namesOf: (one: Named) => readonly string[]) {
  const byName = new Map<string, string[]>()
  for (const one of all)
    for (const name of new Set(namesOf(one).map(joined)))
      if (name !== '') byName.getOrInsert(name, []).push(one.id)
  return byName
}

const nearest = (word: string, all: Iterable<string>): Nearest =>
  word.length < NEAR_LENGTH_MIN
    ? { names: [], wrong: Number.POSITIVE_INFINITY }
    : nearestOf(word, [...all])

function meaningOf(ids: readonly string[]): Meaning {
  if (ids.length === 0) return NOTHING
  return ids.length === 1 ? { kind: 'one', id: ids[0]! } : { kind: 'several', ids }
}
