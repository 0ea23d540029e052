import { setTimeout as delay } from 'node:timers/promises'
import type { Backend, Balancer } from './balancer.ts'

const CHECK_MS = 200
const CHECK_WAIT_MS = 1500
const TRIES_MAX = 4

type Health = 'ready' | 'alive' | 'down'

/**
 * A small HTTP load balancer that does what nginx does by default: round robin over the ready
 * replicas, or over the running ones when none is ready; a refused connection is tried on the next
 * replica, any other failure only for GET. `x-replica` names the replica of a response.
 */
export class OwnBalancer implements Balancer {
  readonly origin: string
  #retries = 0
  #turn = 0
  #isOpen = true
  readonly #health = new Map<Backend, Health>()
  readonly #server: Bun.Server<undefined>

  constructor(private readonly backends: readonly Backend[]) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 60,
      fetch: (request) => this.#pass(request),
    })
    this.origin = `http://127.0.0.1:${this.#server.port}`
    for (const backend of backends) {
      this.#health.set(backend, 'ready')
      void this.#watch(backend)
    }
  }

  async retries(): Promise<number> {
    return this.#retries
  }

  async ready(name: string): Promise<void> {
    const backend = this.backends.find((candidate) => candidate.name === name)!
    while (this.#isOpen && this.#health.get(backend) !== 'ready') await delay(CHECK_MS / 4)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    await this.#server.stop(true)
  }

  async #watch(backend: Backend): Promise<void> {
    while (this.#isOpen) {
      this.#health.set(backend, await healthOf(backend))
      await delay(CHECK_MS)
    }
  }

  #next(tried: ReadonlySet<Backend>): Backend | null {
    for (const wanted of ['ready', 'alive', 'down'] as const) {
      const fit = this.backends.filter(
        (backend) => !tried.has(backend) && this.#health.get(backend) === wanted,
      )
      if (fit.length > 0) return fit[this.#turn++ % fit.length]!
    }
    return null
  }

  async #pass(request: Request): Promise<Response> {
    const isGet = request.method === 'GET'
    const body = isGet ? null : await request.arrayBuffer()
    const url = new URL(request.url)
    const tried = new Set<Backend>()
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const backend = this.#next(tried)
      if (!backend) break
      tried.add(backend)
      try {
        return await answerOf(backend, url, { request, body })
      } catch (error) {
        this.#health.set(backend, 'down')
        const isRefused = (error as { code?: string }).code === 'ConnectionRefused'
        if (!isGet && !isRefused) break
        this.#retries += 1
      }
    }
    const failure = { error: 'no replica responded; retry shortly', code: 'bad_gateway' }
    return Response.json(failure, { status: 502, headers: { 'x-replica': 'none' } })
  }
}

type Passed = { readonly request: Request; readonly body: ArrayBuffer | null }

async function answerOf(
  { name, origin }: Backend,
  { pathname, search }: URL,
  { request, body }: Passed,
): Promise<Response> {
  const leaving = new AbortController()
  const response = await fetch(`${origin}${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    body,
    keepalive: body === null,
    signal: leaving.signal,
  })
  const headers = new Headers(response.headers)
  headers.set('x-replica', name)
  for (const hop of ['connection', 'keep-alive', 'transfer-encoding']) headers.delete(hop)
  const isStream = headers.get('content-type')?.startsWith('text/event-stream')
  const whole = isStream ? passedOn(response.body!, leaving) : await response.arrayBuffer()
  return new Response(whole, { status: response.status, headers })
}

/** Passes a stream on chunk by chunk. It ends as the replica's stream does, and ends that. */
function passedOn(body: ReadableStream<Uint8Array>, leaving: AbortController): ReadableStream {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => leaving.abort(),
  })
}

async function healthOf({ origin }: Backend): Promise<Health> {
  if (await isWell(`${origin}/readyz`)) return 'ready'
  return (await isWell(`${origin}/healthz`)) ? 'alive' : 'down'
}

async function isWell(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(CHECK_WAIT_MS) })).ok
  } catch {
    return false
  }
}
