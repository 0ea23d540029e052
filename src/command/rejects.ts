import { rename, rm } from 'node:fs/promises'
import type { FileSink } from 'bun'
import type { Batch, Fault } from '~/file/lines.ts'
import { CommandFailure, printable, type Terminal } from './terminal.ts'

const FAULTS_SHOWN_MAX = 20
/** The maximum number of invalid rows that are counted before reading stops. */
const FAULTS_COUNTED_MAX = 1000

/** Counts invalid rows and retains the errors of the first ones. */
export class FaultReport {
  count = 0
  readonly #first: Fault[] = []

  get isFull(): boolean {
    return this.count >= FAULTS_COUNTED_MAX
  }

  add(faults: readonly Fault[]): void {
    this.#first.push(...faults.slice(0, FAULTS_SHOWN_MAX - this.#first.length))
    this.count += faults.length
  }

  /** Lists the first errors by line, and returns a phrase with their number. */
  tell(terminal: Terminal): string {
    for (const { number, fault } of this.#first) terminal.say(`line ${number}: ${printable(fault)}`)
    const more = this.count - this.#first.length
    const rows = `${this.count} ${this.count === 1 ? 'row is' : 'rows are'} invalid`
    return more > 0 ? `${rows}, ${more} more than are listed` : rows
  }
}

/**
 * Passes on the rows of `read` unless one is invalid.
 *
 * After the first error no more rows are passed on: reading continues only to report further
 * errors, up to a bound, and ends with a CommandFailure.
 */
export async function* allOrNothing<T>(
  read: AsyncIterable<Batch<T>>,
  { terminal, advice }: { terminal: Terminal; advice: string },
): AsyncGenerator<readonly T[]> {
  const report = new FaultReport()
  for await (const { rows, rejects } of read) {
    report.add(rejects)
    if (report.isFull) break
    if (report.count === 0) yield rows
  }
  if (report.count === 0) return
  const least = report.isFull ? 'at least ' : ''
  throw new CommandFailure(`nothing was imported: ${least}${report.tell(terminal)}; ${advice}`)
}

/** The file for rows that were not imported; it does not exist until there is one. */
export class RejectsFile {
  #sink: FileSink | null = null

  constructor(
    readonly path: string,
    private readonly header: string | null,
  ) {}

  get #partPath(): string {
    return `${this.path}.part`
  }

  /** Throws CommandFailure when it cannot be written. */
  async add(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    try {
      if (!this.#sink) {
        this.#sink = Bun.file(this.#partPath).writer()
        if (this.header !== null) await this.#sink.write(`${this.header}\n`)
      }
      await this.#sink.write(`${lines.join('\n')}\n`)
      await this.#sink.flush()
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /**
   * Gives the file its name and replaces the one of an earlier run, which is removed even if
   * nothing was rejected. Throws CommandFailure, which says where the rows are.
   */
  async keep(): Promise<void> {
    try {
      if (!this.#sink) return await rm(this.path, { force: true })
      await this.#sink.end()
      await rename(this.#partPath, this.path)
    } catch (error) {
      const rows = this.#sink
        ? `the rejected rows stay in ${this.#partPath}`
        : 'nothing was rejected'
      throw new CommandFailure(
        `${rows}: ${this.path} cannot be replaced (${(error as Error).message})`,
      )
    }
  }

  async discard(): Promise<void> {
    if (!this.#sink) return
    await Promise.resolve(this.#sink.end()).catch(() => {})
    await rm(this.#partPath, { force: true })
  }

  #failure(error: unknown): CommandFailure {
    return new CommandFailure(
      `cannot write the rejected rows to ${this.path}: ${(error as Error).message}`,
    )
  }
}
