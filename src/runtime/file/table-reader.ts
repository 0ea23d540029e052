import { FileFault } from '~/file/csv.ts'
import type { Grid } from '~/file/table/grid.ts'
import { WorkLimit } from '~/service/work-limit.ts'

/** The longest time that one table may take to be read; a workbook of 8 MiB takes seconds. */
const READ_MS_MAX = 20_000

/** A table, and the same compressed. */
type ReadTable = { readonly grid: Grid; readonly content: Uint8Array }

export type TableAnswer = ReadTable | { readonly fault: string } | { readonly bug: string }

const LIMIT = {
  runningMax: 1,
  waitingMax: 8,
  refusal: 'too many tables are being read; try again in a moment',
}

/**
 * Reads tables that people send, each in a thread of its own, so that a large one does not block
 * requests. The result throws FileFault for a file that is not a table, or takes too long.
 */
export function tableReader(): (bytes: Uint8Array) => Promise<ReadTable> {
  const limit = new WorkLimit(LIMIT)
  return (bytes) => limit.run(() => readApart(bytes))
}

async function readApart(bytes: Uint8Array): Promise<ReadTable> {
  const thread = new Worker(new URL('./table-thread.ts', import.meta.url).href)
  const { promise, resolve, reject } = Promise.withResolvers<TableAnswer>()
  const late = () => resolve({ fault: 'It takes too long to read. Send a smaller table.' })
  const timer = setTimeout(late, READ_MS_MAX)
  thread.onmessage = ({ data }) => resolve(data)
  thread.onerror = ({ message }) => reject(new Error(message))
  thread.postMessage(bytes)
  try {
    const answer = await promise
    if ('grid' in answer) return answer
    if ('fault' in answer) throw new FileFault(answer.fault)
    throw new Error(answer.bug)
  } finally {
    clearTimeout(timer)
    thread.terminate()
  }
}
