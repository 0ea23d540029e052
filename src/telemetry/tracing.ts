import type { RouteLabel } from './request-figures.ts'

export type Served = {
  readonly label: RouteLabel
  readonly requestId: string
  readonly request: Request
  work(): Response | Promise<Response>
}

type Attributes = Record<string, string | number | boolean>

/** Destination of spans. Without tracing there is none, and no tracing code is loaded. */
export type Tracing = {
  /** Serves a request in a span of its own, a child of the caller's if `traceparent` names one. */
  served(request: Served): Response | Promise<Response>
  /** Does work in a child span of the current one. A rejection is passed on. */
  within<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Sends the spans that are left, for a second at most. */
  stop(): Promise<void>
}

/** Does the work, in a span if there is tracing. */
export const traced = <T>(
  tracing: Tracing | null,
  name: string,
  work: () => Promise<T>,
): Promise<T> => (tracing ? tracing.within(name, {}, work) : work())
