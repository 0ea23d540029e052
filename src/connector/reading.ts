import { FeedError, type FeedFault } from '~/domain/feed/feed.ts'
import { excerptOf } from '~/feed/document.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { Ask, Page } from './rows.ts'
import type { Connector } from './schema.ts'

/** How long one answer or file may take to be read. */
const READ_MS_MAX = 20_000

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

/** What one answer or file gives, and how it begins. */
type Read = Page & { readonly excerpt: string }

/**
 * Reads answers and files in a thread of its own, so that long ones hold up no request, and an
 * expression that never ends can be ended.
 */
export class Reading {
  readonly #deadline: (ms: number) => AbortSignal
  #thread: Worker | null = null

  constructor({ deadline }: { deadline(ms: number): AbortSignal }) {
    this.#deadline = deadline
  }

  /** Throws a FeedError that names the answer or file, with its excerpt. */
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
    this.#thread?.terminate()
    this.#thread = null
  }

  async #answer(task: ReadingTask): Promise<ReadingAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadingAnswer>()
    this.#thread ??= new Worker(new URL('./reading-thread.ts', import.meta.url).href)
    this.#thread.onmessage = ({ data }) => resolve(data)
    this.#thread.onerror = ({ message }) => reject(new Error(message))
    this.#thread.postMessage(task)
    const signal = this.#deadline(READ_MS_MAX)
    try {
      return await beforeEnd(promise, signal)
    } catch (error) {
      this.close()
      if (!signal.aborted) throw error
      const message = `took longer than ${READ_MS_MAX / 1000} s to read: does an expression end?`
      return { fault: 'timeout', message }
    }
  }
}
