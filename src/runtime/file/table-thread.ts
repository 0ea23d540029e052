import { FileFault } from '~/file/csv.ts'
import { gridOf } from '~/file/table/grid.ts'
import type { TableAnswer } from './table-reader.ts'

declare const self: Worker

/** The thread of a `TableReader`, which reads one table. */
self.onmessage = async ({ data }: MessageEvent<Uint8Array>) => {
  const answer = (message: TableAnswer) => self.postMessage(message)
  try {
    const grid = await gridOf(data)
    answer({ grid, content: Bun.gzipSync(JSON.stringify(grid)) })
  } catch (error) {
    if (error instanceof FileFault) answer({ fault: error.message })
    else answer({ bug: String((error as Error)?.stack ?? error) })
  }
}
