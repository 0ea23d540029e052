import type { MonthWriter } from '~/service/file/month-file.ts'
import { type MonthBatch, monthBatch } from '~/wire/file/month-file.ts'

/** An order for the thread: take a batch, or, without one, end the file. */
export type MonthOrder = {
  /** The file's own metadata, with the first order. */
  readonly notes?: Readonly<Record<string, string>>
  readonly batch?: MonthBatch
}

export type MonthAnswer = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly bug: string }

/** Writes rows as Parquet in a thread of its own, so that a large month holds up no request. */
export const monthWriter =
  (notes: Readonly<Record<string, string>>): MonthWriter =>
  async (batches, put) => {
    const thread = new Worker(new URL('./month-thread.ts', import.meta.url).href)
    const written = async (order: MonthOrder) => {
      const bytes = await answered(thread, { ...order, notes })
      if (bytes.length > 0) await put(bytes)
    }
    let rows = 0
    try {
      for await (const batch of batches) {
        await written({ batch: monthBatch(batch) })
        rows += batch.length
      }
      await written({})
      return rows
    } finally {
      thread.terminate()
    }
  }

/** The bytes that an order completes. */
async function answered(thread: Worker, order: MonthOrder): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<MonthAnswer>()
  thread.onmessage = ({ data }) => resolve(data)
  thread.onerror = ({ message }) => reject(new Error(message))
  thread.addEventListener('close', () => reject(new Error('the thread has ended')))
  thread.postMessage(order)
  const answer = await promise
  if ('bug' in answer) throw new Error(answer.bug)
  return answer.bytes
}
