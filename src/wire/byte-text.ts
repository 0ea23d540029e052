import { decimalsOf, POWERS_OF_TEN } from '~/domain/round.ts'
import { writeDigits } from './digits.ts'

/** Numbers of other sizes are few: they are left to the language's own way of writing them. */
const PLAIN_MIN = 1e-6
const PLAIN_MAX = 1e12
/** No number between them is written longer, its sign and the zeros in front of it included. */
const NUMBER_LENGTH_MAX = 24
const MINUS = 45

const START_BYTES = 8192

/**
 * A text that is put together in the same bytes again and again, so that writing it leaves nothing
 * behind: no parts, no texts of numbers.
 */
export class ByteText {
  #bytes = new Uint8Array(START_BYTES)
  #length = 0

  /** What was written, as UTF-8: good until the text begins anew. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length)
  }

  /** Begins anew. */
  clear(): this {
    this.#length = 0
    return this
  }

  /** Adds a piece that is UTF-8 already. */
  piece(piece: Uint8Array): this {
    this.#room(piece.length)
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
    return this
  }

  /** Adds a text of ASCII alone. */
  ascii(text: string): this {
    this.#room(text.length)
    const bytes = this.#bytes
    let at = this.#length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.#length = at
    return this
  }

  /** Adds a number of at most 12 significant digits, as `JSON.stringify` writes it. */
  amount(x: number): this {
    const size = x < 0 ? -x : x
    if (!(size >= PLAIN_MIN && size < PLAIN_MAX)) return this.ascii(String(x))
    this.#room(NUMBER_LENGTH_MAX)
    if (x < 0) this.#bytes[this.#length++] = MINUS
    const decimals = decimalsOf(size)
    const digits = Math.floor(size * POWERS_OF_TEN[decimals]! + 0.5)
    this.#length = writeDigits(this.#bytes, this.#length, digits, decimals)
    return this
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    grown.set(this.bytes)
    this.#bytes = grown
  }
}
