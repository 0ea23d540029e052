import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { Caller } from '~/domain/account.ts'
import type { Sink, StreamReader } from '~/service/stream/reader.ts'
import type { Subscribed } from './subscribed.ts'

type Opening = {
  readonly caller: Caller
  readonly subscribed: Subscribed
  /** Opens the stream behind it; called when the response begins. */
  begin(listening: Listening): StreamReader
  /** Called once when the last listener has left. */
  over(listening: Listening): void
}

const CORRIDOR = /^data: \{"corridor":"([^"]+)"/gm
const CATALOGUE = /^event: catalogue$/m
const RESET = /^event: reset$/m
const DATA = /^data: (.+)$/m

/**
 * One subscription: reports each address that changed, no more often than its client reads.
 *
 * An address reported as changed is not reported again until that has gone out. While all of them
 * wait, the stream behind it holds back, and in the end gives up a client that never reads.
 */
export class Listening implements Sink, ServerEventBus {
  readonly caller: Caller
  readonly #all: readonly string[]
  readonly #waiting = new Set<string>()
  #tell: ((event: ServerEvent) => void) | null = null
  #reader: StreamReader | null = null
  #finish = () => {}
  #isOver = false

  constructor(private readonly opening: Opening) {
    const { byCorridor, catalogue } = opening.subscribed
    this.caller = opening.caller
    this.#all = [...[...byCorridor.values()].flat(), ...catalogue]
  }

  /** Reports whether anyone listens yet. */
  get hasBegun(): boolean {
    return this.#reader !== null
  }

  /** Only the stream publishes here. */
  publish(): void {}

  subscribe(tell: (event: ServerEvent) => void): () => void {
    this.#tell = tell
    this.#reader = this.opening.begin(this)
    return () => this.leave()
  }

  /** Sets the function that ends the response with its result. */
  endsBy(finish: () => void): void {
    this.#finish = finish
  }

  write(text: string): boolean {
    const { byCorridor, catalogue } = this.opening.subscribed
    for (const [, name] of text.matchAll(CORRIDOR)) this.#update(byCorridor.get(name!) ?? [])
    if (CATALOGUE.test(text)) this.#update(catalogue)
    if (RESET.test(text)) this.#update(this.#all)
    return !this.#isFull
  }

  /** Sends no heartbeat: the SDK's handler keeps the connection alive. */
  beat(): void {}

  end(): void {
    if (!this.#isOver) this.#finish()
  }

  /** Frees whatever was taken for it. */
  leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reader?.close()
    this.opening.over(this)
  }

  /** Passes the SDK's response on, piece by piece as the client takes it. */
  passedOn(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream(
      {
        pull: async (controller) => {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          controller.enqueue(value)
          this.#went(value)
        },
        cancel: () => reader.cancel(),
      },
      { highWaterMark: 0 },
    )
  }

  get #isFull(): boolean {
    return this.#waiting.size === this.#all.length
  }

  #update(uris: readonly string[]): void {
    for (const uri of uris) {
      if (this.#waiting.has(uri)) continue
      this.#waiting.add(uri)
      this.#tell?.({ kind: 'resource_updated', uri })
    }
  }

  #went(frame: Uint8Array): void {
    const [, data] = DATA.exec(new TextDecoder().decode(frame)) ?? []
    const uri = data && JSON.parse(data).params?.uri
    const wasFull = this.#isFull
    if (this.#waiting.delete(uri) && wasFull) this.#reader?.drained()
  }
}
