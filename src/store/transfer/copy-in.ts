import type { Writable } from 'node:stream'
import type { TransactionSql } from '~/store/database.ts'

/** Rows on their way into a table; has to be ended by `finish` or `abort`. */
export type CopyIn = {
  /** Resolves when the server is ready for more; `lines` are whole rows of COPY's text format. */
  write(lines: string): Promise<void>
  /** Resolves when the server has taken every row; rejects with its reason if it refuses. */
  finish(): Promise<void>
  abort(error: Error): Promise<void>
}

/** Writes all batches and finishes; if one cannot be read or written, the copy is aborted. */
export async function copyAll<T>(
  copy: Pick<CopyIn, 'finish' | 'abort'>,
  batches: AsyncIterable<T>,
  write: (batch: T) => Promise<void>,
): Promise<void> {
  try {
    for await (const batch of batches) await write(batch)
  } catch (error) {
    await copy.abort(error as Error)
    throw error
  }
  await copy.finish()
}

/** Starts `statement`, a `COPY ... FROM STDIN`. The transaction takes no other query meanwhile. */
export async function copyIn(tx: TransactionSql, statement: string): Promise<CopyIn> {
  const query = tx.unsafe(statement)
  const stream = (await query.writable()) as Writable
  const failed = failureOf(query)
  const closed = new Promise<void>((resolve) => stream.on('close', () => resolve()))
  failed.catch(() => {})
  stream.on('error', () => {})
  return {
    async write(lines) {
      const written = new Promise<void>((resolve, reject) => {
        stream.write(Buffer.from(lines), (error) => (error ? reject(error) : resolve()))
      })
      await Promise.race([written, failed])
    },
    async finish() {
      stream.end()
      await Promise.race([closed, failed])
    },
    async abort(error) {
      stream.destroy(error)
      await failed.catch(() => {})
    },
  }
}

/**
 * The server's objection to the copy. By then the driver has resolved its query with the stream,
 * and it rejects it a second time, which a promise ignores: so the rejection is caught on its way.
 */
function failureOf(query: unknown): Promise<never> {
  return new Promise((_, reject) => {
    ;(query as { reject(error: Error): void }).reject = reject
  })
}
