import { MonthParquet } from '~/file/parquet.ts'
import type { MonthAnswer, MonthOrder } from './month-writer.ts'

declare const self: Worker

let file: MonthParquet | null = null

/** The thread of a `monthWriter`, which writes one file. */
self.onmessage = ({ data }: MessageEvent<MonthOrder>) => {
  const answer = (message: MonthAnswer) => self.postMessage(message)
  try {
    file ??= new MonthParquet(data.notes ?? {})
    answer({ bytes: data.batch ? file.add(data.batch) : file.end() })
  } catch (error) {
    answer({ bug: String((error as Error)?.stack ?? error) })
  }
}
