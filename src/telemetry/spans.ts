import { randomUUID } from 'node:crypto'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Sampling } from '~/domain/sampling.ts'
import type { Log } from '~/log.ts'
import type { Served, Tracing } from './tracing.ts'

export type SpansOptions = {
  /** The collector's base address; spans go to `/v1/traces` below it. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly version: string
  readonly service?: string
  /** The sampling; by default everything that no caller forbids. */
  readonly sampling?: Sampling
  readonly log: Log
}

const STOP_MS_MAX = 1000
const FAILED_STATUS_MIN = 500

const headersGetter = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}

/**
 * Spans, sent in batches to an OpenTelemetry collector; those that it does not accept are dropped.
 */
export class Spans implements Tracing {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #contexts = new AsyncLocalStorageContextManager().enable()
  readonly #propagator = new W3CTraceContextPropagator()
  #stopped: Promise<void> | null = null

  constructor(options: SpansOptions) {
    const { url, headers = {}, version, service = 'corridor', sampling, log } = options
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers: { ...headers } })
    const own = {
      'service.name': service,
      'service.version': version,
      'service.instance.id': randomUUID(),
    }
    this.#provider = new TracerProvider({
      ...(sampling && { sampler: samplerOf(sampling) }),
      resource: defaultResource().merge(resourceFromAttributes(own)),
      spanProcessors: [new BatchSpanProcessor({ exporter: telling(exporter, log) })],
    })
    this.#tracer = this.#provider.getTracer('corridor', version)
  }

  served({ label, requestId, request, work }: Served): Response | Promise<Response> {
    const { method, headers } = request
    const attributes = {
      'http.request.method': method,
      'http.route': label.route,
      'corridor.request_id': requestId,
    }
    const caller = this.#propagator.extract(ROOT_CONTEXT, headers, headersGetter)
    const options = { kind: SpanKind.SERVER, attributes }
    const span = this.#tracer.startSpan(`${method} ${label.route}`, options, caller)
    const answered = (reply: Response): Response => {
      span.setAttribute('http.response.status_code', reply.status)
      if (reply.status >= FAILED_STATUS_MIN) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      return reply
    }
    try {
      const reply = this.#inside(span, caller, work)
      return reply instanceof Promise ? reply.then(answered, failing(span)) : answered(reply)
    } catch (error) {
      return failing(span)(error)
    }
  }

  within<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const outer = this.#contexts.active()
    const span = this.#tracer.startSpan(name, { attributes }, outer)
    return this.#inside(span, outer, work).then((result) => {
      span.end()
      return result
    }, failing(span))
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, STOP_MS_MAX)
    await Promise.race([this.#provider.shutdown().catch(() => {}), deadline.promise])
    clearTimeout(timer)
    this.#contexts.disable()
  }

  #inside<T>(span: Span, outer: Context, work: () => T): T {
    return this.#contexts.with(trace.setSpan(outer, span), work)
  }
}

function samplerOf({ sampler, share }: Sampling): Sampler {
  const [isParentBased, name] = sampler.startsWith(PARENT_BASED)
    ? [true, sampler.slice(PARENT_BASED.length)]
    : [false, sampler]
  const roots: Record<string, Sampler> = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(share),
  }
  const root = roots[name]!
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

const PARENT_BASED = 'parentbased_'

/** Records only the kind of an error, whose message may hold caller input. */
function failing(span: Span): (error: unknown) => never {
  return (error) => {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    throw error
  }
}

/** The exporter; the first failure and the recovery are logged, once each. */
function telling(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false
  const tell = ({ code, error }: ExportResult) => {
    const fails = code !== ExportResultCode.SUCCESS
    if (fails && !isFailing) log.warn({ err: error }, 'traces cannot be sent; they are dropped')
    if (!fails && isFailing) log.info({}, 'traces can be sent again')
    isFailing = fails
  }
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        tell(result)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
