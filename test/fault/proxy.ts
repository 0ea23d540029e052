import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

/** The network between one service and its database, which can be slow, silent or down. */
export class DatabaseProxy {
  /** Latency added to each round trip. */
  latencyMs = 0
  #isSilent = false
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #words: string | null = null
  readonly #kept = new Map<Socket, (Buffer | string)[]>()
  readonly #server: Server

  private constructor(private target: number) {
    this.#server = createServer((client) => this.#join(client))
  }

  static async to(port: number): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** Directs new connections to a port; existing ones stay. */
  aim(port: number): void {
    this.target = port
  }

  /** Drops everything from now on without an error, like lost packets. */
  silence(): void {
    this.#isSilent = true
  }

  /** Lets new connections through again; old ones are cut, or stay silent for ever. */
  mend({ isOldCut }: { isOldCut: boolean }): void {
    this.#isSilent = false
    if (isOldCut) this.cut()
    else this.#pairs.clear()
  }

  /** From these words on, holds back what connections send to the database. */
  keepFrom(words: string): void {
    this.#words = words
  }

  /** The number of connections that are held back. */
  get kept(): number {
    return this.#kept.size
  }

  /** Delivers what was held back, and holds back nothing more. */
  release(): void {
    this.#words = null
    for (const [database, chunks] of this.#kept) for (const chunk of chunks) database.write(chunk)
    this.#kept.clear()
  }

  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    this.#pairs.clear()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  #join(client: Socket): void {
    const upstream = createConnection(this.target, '127.0.0.1')
    const pair = [client, upstream] as const
    this.#pairs.add(pair)
    this.#carry(pair, client, upstream)
    this.#carry(pair, upstream, client)
    upstream.on('close', () => this.#kept.delete(upstream))
  }

  #pass(to: Socket, isToDatabase: boolean, chunk: Buffer | string): void {
    const isBegun = isToDatabase && this.#words !== null && chunk.includes(this.#words)
    const chunks = this.#kept.get(to)
    if (chunks) chunks.push(chunk)
    else if (isBegun) this.#kept.set(to, [chunk])
    else to.write(chunk)
  }

  /**
   * Bytes in flight when the silence begins are lost, and so is all that follows on this
   * connection.
   */
  #carry(pair: readonly [Socket, Socket], from: Socket, to: Socket): void {
    const isHeard = () => !this.#isSilent && this.#pairs.has(pair)
    const waiting: (() => void)[] = []
    const pass = (act: () => void) => {
      waiting.push(act)
      const next = () => {
        const first = waiting.shift()
        if (isHeard()) first?.()
      }
      if (this.latencyMs === 0 && waiting.length === 1) next()
      else setTimeout(next, this.latencyMs / 2)
    }
    from.on('data', (chunk) => pass(() => this.#pass(to, from === pair[0], chunk)))
    from.on('error', () => {})
    from.on('close', () => {
      if (!isHeard()) return
      this.#pairs.delete(pair)
      to.destroy()
    })
  }
}
