/** Treatment of the path below which a proxy shows a service. */
export type Manner = 'takes it off' | 'passes it on'

export const MANNERS: readonly Manner[] = ['takes it off', 'passes it on']

/** A reverse proxy that shows a service below a path, and something else everywhere else. */
export class MountProxy {
  /** Address of the service; nothing is shown before it is set. */
  target: string | null = null
  /** Requests outside the path: whatever a page leads to there is lost. */
  readonly strays: string[] = []
  readonly #server: Bun.Server<undefined>

  constructor(
    private readonly mount: string,
    private readonly manner: Manner,
  ) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#forward(request),
    })
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** The address of the service as people know it. */
  get home(): string {
    return this.origin + this.mount
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  async #forward(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const isBelow = pathname === this.mount || pathname.startsWith(`${this.mount}/`)
    if (!isBelow) this.strays.push(pathname)
    if (!isBelow || this.target === null) return new Response('another site', { status: 404 })
    const rest = pathname.slice(this.mount.length) || '/'
    const path = this.manner === 'takes it off' ? rest : pathname
    const headers = new Headers(request.headers)
    headers.append('x-forwarded-for', '198.51.100.7')
    return fetch(this.target + path + search, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      decompress: false,
    })
  }
}
