import { decimalsOf, digitsOf, roundAmount, roundPercent } from '~/domain/round.ts'
import { DECIMAL_BYTES_MAX, writeDecimal, writeMillionths } from './digits.ts'
import type { Piece } from './piece.ts'

/** The smallest number written here; the few beyond the bounds are left to the language itself. */
const PLAIN_MIN = 1e-6
const PLAIN_MAX = 1e12
/** The first number with a digit too many, which rounding 999,999,999,999.9 up would give. */
const DIGITS_END = 1e12
const MINUS = 45
/** Shorter pieces are copied here, which is sooner done than called for. */
const LONG_MIN = 160
const MILLION = 1e6
/** Percentages from a thousand on, in millionths, are left to the language. */
const PERCENT_END = 1e9

const START_BYTES = 8192

/** A string that is built in the same bytes again and again, so that no write leaves garbage. */
export class ByteText {
  #bytes = Buffer.alloc(START_BYTES)
  /** Writes several of the bytes at a time. */
  #words = wordsOf(this.#bytes)
  #length = 0
  /**
   * Views by length, at most as many as there are bytes: making one takes as long as ten numbers.
   */
  #views: Uint8Array<ArrayBuffer>[] = []

  /** The written text as UTF-8, valid until the next `clear`. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset } = this.#bytes
    this.#views[this.#length] ??= new Uint8Array(buffer, byteOffset, this.#length)
    return this.#views[this.#length]!
  }

  get length(): number {
    return this.#length
  }

  clear(): this {
    this.#length = 0
    return this
  }

  piece({ bytes, words }: Piece): this {
    this.#room(words.byteLength)
    if (bytes.length >= LONG_MIN) this.#bytes.set(bytes, this.#length)
    else
      for (let i = 0, at = this.#length; i < words.length; i++, at += words.BYTES_PER_ELEMENT)
        this.#words.setFloat64(at, words[i]!, true)
    this.#length += bytes.length
    return this
  }

  ascii(text: string): this {
    this.#room(text.length)
    this.#bytes.write(text, this.#length, 'latin1')
    this.#length += text.length
    return this
  }

  /** Adds any finite number in the form that `JSON.stringify` gives it. */
  number(x: number): this {
    return roundAmount(x) === x ? this.rounded(x) : this.ascii(String(x))
  }

  /**
   * Adds any finite number, rounded by `roundAmount`, in the form that `JSON.stringify` gives it.
   */
  rounded(x: number): this {
    const size = Math.abs(x)
    if (size >= PLAIN_MIN && size < PLAIN_MAX) {
      const decimals = decimalsOf(size)
      const digits = digitsOf(size, decimals)
      if (digits < DIGITS_END) return this.#decimal(x < 0, digits, decimals)
    }
    return this.ascii(String(roundAmount(x)))
  }

  /** Adds any finite percentage, rounded by `roundPercent`, as `JSON.stringify` gives it. */
  percent(x: number): this {
    const millionths = Math.round(x * MILLION)
    if (!(Math.abs(millionths) < PERCENT_END)) return this.ascii(String(roundPercent(x)))
    this.#room(1 + DECIMAL_BYTES_MAX)
    if (millionths < 0) this.#bytes[this.#length++] = MINUS
    this.#length = writeMillionths(this.#words, this.#length, Math.abs(millionths))
    return this
  }

  withoutLast(): this {
    this.#length -= 1
    return this
  }

  /** Adds again what was written from one place to another. */
  again(start: number, end: number): this {
    this.#room(end - start)
    this.#bytes.copyWithin(this.#length, start, end)
    this.#length += end - start
    return this
  }

  #decimal(isNegative: boolean, digits: number, decimals: number): this {
    this.#room(1 + DECIMAL_BYTES_MAX)
    if (isNegative) this.#bytes[this.#length++] = MINUS
    this.#length = writeDecimal(this.#words, this.#length, digits, decimals)
    return this
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.alloc(Math.max(needed, 2 * this.#bytes.length))
    grown.set(this.bytes)
    this.#bytes = grown
    this.#words = wordsOf(grown)
    this.#views = []
  }
}

const wordsOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength)
