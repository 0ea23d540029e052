import type { Sql } from '~/store/database.ts'
import type { FileKey } from './kept-files.ts'

/** The least length of a part, but for the last. */
const PART_BYTES = 1 << 20

/** Writes a file in parts as its bytes come. Mutable. */
export class Parts {
  readonly #hash = new Bun.CryptoHasher('sha256')
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #bytes = 0
  #next = 0

  constructor(
    private readonly sql: Sql,
    private readonly file: FileKey,
  ) {}

  async put(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= PART_BYTES) await this.#write()
  }

  async end(): Promise<{ readonly bytes: number; readonly digest: string }> {
    if (this.#waitingBytes > 0) await this.#write()
    return { bytes: this.#bytes, digest: this.#hash.digest('hex') }
  }

  async #write(): Promise<void> {
    const content = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    const { period, edition } = this.file
    await this.sql`
      insert into file_parts (period, edition, part, content)
      values (${period}, ${edition}, ${this.#next++}, ${content})`
  }
}
