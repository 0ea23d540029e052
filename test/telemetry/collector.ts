/** A span as it arrived, its ids in hex. */
export type Arrived = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly kind: number
  readonly isFailed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

const FAILED = 2
const POLL_MS = 10

/** An OpenTelemetry collector on loopback, limited to spans in JSON over HTTP. */
export class Collector {
  readonly spans: Arrived[] = []
  readonly resources: Record<string, unknown>[] = []
  /** Status of its responses; anything but 200 is a refusal. */
  status = 200
  /** The headers of the last batch. */
  headers = new Headers()
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => this.#take(request),
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** The first span of a name, once it has arrived. */
  async span(name: string): Promise<Arrived> {
    for (;;) {
      const found = this.spans.find((span) => span.name === name)
      if (found) return found
      await Bun.sleep(POLL_MS)
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  async #take(request: Request): Promise<Response> {
    this.headers = request.headers
    if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
    if (this.status !== 200) return new Response(null, { status: this.status })
    const { resourceSpans } = (await request.json()) as Sent
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(attributesOf(resource.attributes))
      for (const { spans } of scopeSpans) this.spans.push(...spans.map(arrived))
    }
    return Response.json({})
  }
}

type Attribute = { key: string; value: Record<string, unknown> }
type SentSpan = Omit<Arrived, 'isFailed' | 'attributes'> & {
  status?: { code?: number }
  attributes: Attribute[]
}
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: SentSpan[] }[]
  }[]
}

const arrived = ({ status, attributes, parentSpanId, ...span }: SentSpan): Arrived => ({
  ...span,
  parentSpanId: parentSpanId || null,
  isFailed: status?.code === FAILED,
  attributes: attributesOf(attributes),
})

const attributesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
