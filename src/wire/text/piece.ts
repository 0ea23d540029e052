const WORD_BYTES = 8

/**
 * A string as UTF-8, to be copied eight bytes at a time, as doubles.
 *
 * No eight bytes of UTF-8 are a NaN, whose copy may differ: the last would have to be 0xff, which
 * never occurs, or 0x7f after a byte of 0xf0 or more, which begins a longer character.
 */
export class Piece {
  readonly bytes: Uint8Array
  /** The bytes, followed by zeros to a whole number of words. */
  readonly words: Float64Array

  constructor(text: string) {
    const utf8 = new TextEncoder().encode(text)
    this.words = new Float64Array(Math.ceil(utf8.length / WORD_BYTES))
    this.bytes = new Uint8Array(this.words.buffer, 0, utf8.length)
    this.bytes.set(utf8)
  }
}
