import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy to the database that can be closed, and whose connections can be muted one by one. */
export class DatabaseProxy {
  /** New connections are closed immediately. */
  isDropping = false
  connections = 0
  readonly #pairs = new Set<Pair>()
  #server: Server | null = null

  constructor(private readonly target: { readonly port: number; readonly host: string }) {}

  static async to(url: string): Promise<DatabaseProxy> {
    const { hostname, port } = new URL(url)
    const proxy = new DatabaseProxy({ port: Number(port), host: hostname })
    const server = createServer((near) => proxy.#accept(near))
    proxy.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server!.address() as { port: number }).port
  }

  /** Passes nothing back from now on over connections that have sent `text`; they stay open. */
  mute(text: string): number {
    const muted = [...this.#pairs].filter((pair) => pair.sent.includes(text))
    for (const pair of muted) pair.isMuted = true
    return muted.length
  }

  /** Closes every connection. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Closes every connection to the client without notifying the server. */
  desert(): void {
    for (const pair of this.#pairs) {
      pair.isDeserted = true
      pair.near.destroy()
    }
  }

  close(): void {
    this.cut()
    this.#server?.close()
  }

  #accept(near: Socket): void {
    this.connections++
    near.on('error', () => {})
    if (this.isDropping) {
      near.end()
      return
    }
    const far = connect(this.target.port, this.target.host)
    const pair: Pair = { near, far, sent: '', isMuted: false, isDeserted: false }
    this.#pairs.add(pair)
    near.on('data', (bytes) => {
      pair.sent = (pair.sent + bytes.toString('latin1')).slice(-SENT_MAX)
      if (!pair.isMuted) far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (!pair.isMuted && !pair.isDeserted) near.write(bytes)
    })
    far.on('error', () => {})
    near.on('close', () => {
      if (!pair.isDeserted) far.destroy()
    })
    far.on('close', () => {
      this.#pairs.delete(pair)
      near.destroy()
    })
  }
}

type Pair = { near: Socket; far: Socket; sent: string; isMuted: boolean; isDeserted: boolean }

const SENT_MAX = 10_000
