import type { Caller } from '~/domain/account.ts'
import type { Sink, StreamReader } from '~/service/stream/reader.ts'

type Opening = {
  readonly caller: Caller
  /** Opens the stream; called when the response begins. */
  begin(stream: OpenStream): StreamReader
  /** Called once, when the stream is over; `isEnding` while last words may wait for the reader. */
  over(stream: OpenStream, isEnding: boolean): void
}

/**
 * The body of one response, and what is written into it.
 *
 * A write to the server's own controller goes out at once, or returns a promise when the connection
 * takes no more for now: the server then buffers what waits, and nothing more is written until the
 * promise is settled, save the last words.
 */
export class OpenStream implements Sink {
  readonly caller: Caller
  readonly body: ReadableStream
  #controller: ReadableStreamDirectController | null = null
  #reader: StreamReader | null = null
  readonly #finished = Promise.withResolvers<void>()
  #isOver = false

  constructor(private readonly opening: Opening) {
    this.caller = opening.caller
    const source: Bun.DirectUnderlyingSource = {
      type: 'direct',
      pull: (controller) => this.#begin(controller as ReadableStreamDirectController),
      cancel: () => this.#close(false),
    }
    // the server knows this kind of source; the types of the web do not
    this.body = new ReadableStream(source as unknown as UnderlyingSource)
  }

  #begin(controller: ReadableStreamDirectController): Promise<void> {
    this.#controller = controller
    this.#reader = this.opening.begin(this)
    held(controller.flush())
    return this.#finished.promise
  }

  write(text: string): boolean {
    if (this.#isOver) return false
    const taken: number | Promise<number> = this.#controller!.write(text)
    if (!(taken instanceof Promise)) return true
    const drained = () => this.#reader?.drained()
    taken.then(drained, drained)
    return false
  }

  /** Sends the reader's position, so that no proxy takes the stream for dead. */
  beat(): void {
    this.#reader?.beat()
  }

  end(text = ''): void {
    if (this.#isOver) return
    if (text !== '') held(this.#controller!.write(text))
    const controller = this.#controller!
    this.#close(true)
    held(controller.end())
  }

  #close(isEnding: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reader?.close()
    this.opening.over(this, isEnding)
    this.#finished.resolve()
  }
}

/** Does not wait for bytes on their way; `cancel` reports a reader that is gone meanwhile. */
function held(taken: unknown): void {
  if (taken instanceof Promise) taken.catch(() => {})
}
