import { FeedError } from '~/domain/feed/feed.ts'
import type { ReadingAnswer, ReadingTask } from './reading.ts'
import { pageOf } from './rows.ts'

declare const self: Worker

/** The thread of a `Reading`: a page for each task. */
self.onmessage = async ({ data }: MessageEvent<ReadingTask>) => {
  const answer = (message: ReadingAnswer) => self.postMessage(message)
  try {
    answer({ page: await pageOf(data.bytes, data.connector, data.ask) })
  } catch (error) {
    if (error instanceof FeedError) answer({ fault: error.fault, message: error.message })
    else answer({ fault: null, message: String((error as Error)?.stack ?? error) })
  }
}
