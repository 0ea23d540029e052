import type { RouteLabel } from './request-figures.ts'

/** One request and how it is answered. */
export type Served = {
  readonly label: RouteLabel
  readonly requestId: string
  readonly request: Request
  work(): Response | Promise<Response>
}

type Attributes = Record<string, string | number | boolean>

/** Where spans go. Where nothing is traced there is none, and nothing that traces is loaded. */
export type Tracing = {
  /** Answers a request in a span of its own, below the caller's where `traceparent` names one. */
  served(request: Served): Response | Promise<Response>
  /** Does work in a span below the current one. What it rejects with is passed on. */
  within<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Sends what is not sent yet, for a second at most. */
  stop(): Promise<void>
}

/** Does the work, in a span where there is tracing. */
export const traced = <T>(
  tracing: Tracing | null,
  name: string,
  work: () => Promise<T>,
): Promise<T> => (tracing ? tracing.within(name, {}, work) : work())
