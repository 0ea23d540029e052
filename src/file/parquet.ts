import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import {
  MONTH_COLUMNS,
  MONTH_NAMES,
  type MonthBatch,
  type MonthColumn,
} from '~/wire/file/month-file.ts'

/** The number of rows that are buffered and written together. */
const GROUP_ROWS = 50_000

type Bytes = Uint8Array<ArrayBuffer>

const schema = schemaFromColumnData({
  columnData: MONTH_NAMES.map((name) => ({ name, type: MONTH_COLUMNS[name][0], data: [] })),
})

/**
 * Writes batches of rows as a Parquet file, a group of rows at a time. Mutable.
 *
 * The library's writes are done when they return, as its writer has nothing to flush.
 */
export class MonthParquet {
  readonly #writer = new ByteWriter()
  readonly #file: ParquetWriter
  #held = emptyGroup()

  constructor(notes: Readonly<Record<string, string>>) {
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema,
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => Bun.zstdCompressSync(new Uint8Array(input)) },
      kvMetadata: Object.entries(notes).map(([key, value]) => ({ key, value })),
      createdBy: 'corridor',
    })
  }

  /** Takes rows, and returns the bytes that are complete with them. */
  add(batch: MonthBatch): Bytes {
    for (const name of MONTH_NAMES) for (const value of batch[name]) this.#held[name].push(value)
    if (this.#held.id.length >= GROUP_ROWS) this.#writeGroup()
    return this.#taken()
  }

  end(): Bytes {
    this.#writeGroup()
    void this.#file.finish()
    return this.#taken()
  }

  #writeGroup(): void {
    const held = this.#held
    this.#held = emptyGroup()
    const columnData = MONTH_NAMES.map((name) => ({
      name,
      data: MONTH_COLUMNS[name][0] === 'TIMESTAMP' ? timesOf(held[name]) : held[name],
    }))
    void this.#file.write({ columnData, rowGroupSize: GROUP_ROWS * 2 })
  }

  #taken(): Bytes {
    const bytes = this.#writer.getBytes().slice()
    this.#writer.index = 0
    return bytes
  }
}

const emptyGroup = () =>
  Object.fromEntries(MONTH_NAMES.map((name) => [name, []])) as unknown as Record<
    MonthColumn,
    unknown[]
  >

const timesOf = (values: readonly unknown[]): unknown[] =>
  values.map((ms) => (ms === null ? null : BigInt(ms as number)))
