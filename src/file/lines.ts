/** The longest line held in memory; no valid row comes near it. */
export const LINE_LENGTH_MAX = 65_536

/** A line without its line feed; one with an error may be cut. */
export type Line = {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
  readonly fault: string | null
}

/** Rows of a file, and what is wrong with the lines that are not rows. */
export type Batch<T> = {
  readonly rows: readonly T[]
  readonly rejects: readonly Fault[]
}

export type Fault = { readonly number: number; readonly fault: string }

const REPLACEMENT = '\uFFFD'
const TOO_LONG = `is longer than ${LINE_LENGTH_MAX} characters`
const NOT_UTF8 = 'is not UTF-8 text'

/** The UTF-16 of a byte order mark, as a TextDecoder names it; null without one. */
export function utf16In([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/**
 * The lines of a UTF-8 text in arrays, one for each chunk of `bytes` that completes any; a byte
 * order mark is dropped.
 *
 * Holds one chunk and one line at a time. A line that is too long comes with an empty string.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter()
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    const lines = splitter.add(decoder.decode(chunk, { stream: true }))
    if (lines.length > 0) yield lines
  }
  const rest = splitter.end(decoder.decode())
  if (rest.length > 0) yield rest
}

/** The lines from the first that is not blank on, and that one; null if all are blank. */
export async function peeked(lines: AsyncIterable<Line[]>) {
  const rest = lines[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await rest.next()
    if (done) return { first: null, lines: prepended([], rest) }
    const index = value.findIndex(({ text, fault }) => fault !== null || text.trim() !== '')
    if (index >= 0) return { first: value[index]!, lines: prepended(value.slice(index), rest) }
  }
}

async function* prepended(first: Line[], others: AsyncIterator<Line[]>): AsyncGenerator<Line[]> {
  if (first.length > 0) yield first
  yield* { [Symbol.asyncIterator]: () => others }
}

class LineSplitter {
  #number = 0
  /** The start of a line that is not complete yet. */
  #rest = ''
  #isRestTooLong = false

  add(text: string): Line[] {
    const parts = text.split('\n')
    parts[0] = this.#rest + parts[0]
    this.#rest = parts.pop()!
    const lines = parts.map((part) => this.#line(part))
    if (this.#rest.length > LINE_LENGTH_MAX) {
      this.#rest = ''
      this.#isRestTooLong = true
    }
    return lines
  }

  end(text: string): Line[] {
    const lines = this.add(text)
    if (this.#rest !== '' || this.#isRestTooLong) lines.push(this.#line(this.#rest))
    return lines
  }

  #line(text: string): Line {
    this.#number++
    if (this.#isRestTooLong || text.length > LINE_LENGTH_MAX) {
      this.#isRestTooLong = false
      return { number: this.#number, text: '', fault: TOO_LONG }
    }
    return { number: this.#number, text, fault: text.includes(REPLACEMENT) ? NOT_UTF8 : null }
  }
}
