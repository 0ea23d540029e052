import { FeedError, type FeedFault } from '~/domain/feed/feed.ts'
import { excerptOf } from '~/feed/document.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { Ask, Page } from './rows.ts'
import type { Connector } from './schema.ts'

/** The longest time that one response or file may take to be read. */
const READ_MS_MAX = 20_000
/** The time that a thread waits for the next reading: just above the shortest schedule. */
const IDLE_MS_MAX = 90_000

export type ReadingTask = {
  readonly bytes: Uint8Array
  readonly connector: Connector
  readonly ask: Ask
}

export type ReadingAnswer =
  | { readonly page: Page }
  /** `fault` is null for a bug. */
  | { readonly fault: FeedFault | null; readonly message: string }

const EXCERPT_LENGTH_MAX = 300

/** Rows and beginning of one response or file. */
type Read = Page & { readonly excerpt: string }

/** A worker as Bun has it: without `ref` it does not keep a finished process alive. */
type Thread = Worker & { ref(): void; unref(): void }

/** A thread that waits for the next reading, since its start costs more than most readings. */
let idle: { readonly thread: Thread; readonly end: Timer } | null = null

function takenThread(): Thread {
  const started = () => new Worker(new URL('./reading-thread.ts', import.meta.url).href) as Thread
  const thread = idle?.thread ?? started()
  clearTimeout(idle?.end)
  idle = null
  thread.ref()
  return thread
}

/** Keeps one thread for a while. */
function giveBack(thread: Thread): void {
  if (idle) return void thread.terminate()
  const end = setTimeout(() => {
    idle = null
    thread.terminate()
  }, IDLE_MS_MAX)
  end.unref()
  thread.unref()
  idle = { thread, end }
}

/**
 * Reads responses and files in a thread of its own, so that long ones do not block requests, and an
 * expression that never ends can be ended.
 */
export class Reading {
  readonly #deadline: (ms: number) => AbortSignal
  #thread: Thread | null = null

  constructor({ deadline }: { deadline(ms: number): AbortSignal }) {
    this.#deadline = deadline
  }

  /** Throws a FeedError that names the response or file, with its excerpt. */
  async page(task: ReadingTask, name: string): Promise<Read> {
    const { bytes } = task
    const beginning = new TextDecoder().decode(bytes.subarray(0, 10 * EXCERPT_LENGTH_MAX))
    const excerpt = excerptOf(beginning, EXCERPT_LENGTH_MAX)
    const answer = await this.#answer(task)
    if ('page' in answer) return { ...answer.page, excerpt }
    if (answer.fault === null) throw new Error(answer.message)
    const about = name === '' ? '' : ` (${name})`
    throw new FeedError(answer.fault, `${answer.message}${about}`, { excerpt })
  }

  close(): void {
    if (this.#thread) giveBack(this.#thread)
    this.#thread = null
  }

  async #answer(task: ReadingTask): Promise<ReadingAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadingAnswer>()
    this.#thread ??= takenThread()
    this.#thread.onmessage = ({ data }) => resolve(data)
    this.#thread.onerror = ({ message }) => reject(new Error(message))
    this.#thread.postMessage(task)
    const signal = this.#deadline(READ_MS_MAX)
    try {
      return await beforeEnd(promise, signal)
    } catch (error) {
      this.#thread.terminate()
      this.#thread = null
      if (!signal.aborted) throw error
      const message = `took longer than ${READ_MS_MAX / 1000} s to read: does an expression end?`
      return { fault: 'timeout', message }
    }
  }
}
