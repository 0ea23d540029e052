import { decimalsOf, digitsOf, roundAmount } from '~/domain/round.ts'
import { DECIMAL_BYTES_MAX, writeDecimal } from './digits.ts'

/** Numbers of other sizes are few: they are left to the language's own way of writing them. */
const PLAIN_MIN = 1e-6
const PLAIN_MAX = 1e12
/** One digit more than are written: where 999,999,999,999.9 is rounded up, or nothing is sure. */
const DIGITS_END = 1e12
const MINUS = 45

const START_BYTES = 8192

/**
 * A text that is put together in the same bytes again and again, so that writing it leaves nothing
 * behind: no parts, no texts of numbers.
 */
export class ByteText {
  #bytes = Buffer.alloc(START_BYTES)
  #length = 0
  /** By length, at most as many as there are bytes: one takes as long to make as ten numbers. */
  #views: Uint8Array<ArrayBuffer>[] = []

  /** What was written, as UTF-8: good until the text begins anew. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset } = this.#bytes
    this.#views[this.#length] ??= new Uint8Array(buffer, byteOffset, this.#length)
    return this.#views[this.#length]!
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
    this.#bytes.write(text, this.#length, 'latin1')
    this.#length += text.length
    return this
  }

  /** Adds any finite number, as `JSON.stringify` writes it. */
  number(x: number): this {
    return roundAmount(x) === x ? this.rounded(x) : this.ascii(String(x))
  }

  /** Adds any finite number, rounded by `roundAmount`, as `JSON.stringify` writes it. */
  rounded(x: number): this {
    const size = Math.abs(x)
    if (size >= PLAIN_MIN && size < PLAIN_MAX) {
      const decimals = decimalsOf(size)
      const digits = digitsOf(size, decimals)
      if (digits < DIGITS_END) return this.#decimal(x < 0, digits, decimals)
    }
    return this.ascii(String(roundAmount(x)))
  }

  #decimal(isNegative: boolean, digits: number, decimals: number): this {
    this.#room(1 + DECIMAL_BYTES_MAX)
    if (isNegative) this.#bytes[this.#length++] = MINUS
    this.#length = writeDecimal(this.#bytes, this.#length, digits, decimals)
    return this
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length))
    grown.set(this.bytes)
    this.#bytes = grown
    this.#views = []
  }
}
