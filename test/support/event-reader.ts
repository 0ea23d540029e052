import { until } from './until.ts'

/** One event as it was read. */
export type ReadEvent = {
  readonly id: string | null
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  readonly data: any
}

/** Reads a stream of events to its end, and stores all of it. */
export class EventReader {
  readonly events: ReadEvent[] = []
  readonly comments: string[] = []
  retryMs: number | null = null
  /** Says whether the stream has ended, in order or not. */
  isOver = false
  readonly over: Promise<void>
  #rest = ''

  constructor(readonly response: Response) {
    this.over = this.#read().finally(() => {
      this.isOver = true
    })
  }

  get names(): string[] {
    return this.events.map(({ name }) => name)
  }

  get lastId(): string | null {
    return this.events.findLast(({ id }) => id !== null)?.id ?? null
  }

  /** Resolves with the event of this name, once it was read; a failure shows what came instead. */
  async event(name: string): Promise<ReadEvent> {
    await until(`the event ${name}`, async () => this.names.includes(name)).catch((error) => {
      throw new Error(`${error.message}, but ${JSON.stringify(this.events)}`)
    })
    return this.events.find((event) => event.name === name)!
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const bytes of this.response.body!)
        this.#take(decoder.decode(bytes, { stream: true }))
    } catch {}
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop()!
    for (const block of blocks) this.#takeBlock(block)
  }

  #takeBlock(block: string): void {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      fields.set(name, value)
    }
    const comment = fields.get('')
    if (comment !== undefined) this.comments.push(comment)
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'))
    const [name, data] = [fields.get('event'), fields.get('data')]
    if (name !== undefined && data !== undefined)
      this.events.push({ id: fields.get('id') ?? null, name, data: JSON.parse(data) })
  }
}
