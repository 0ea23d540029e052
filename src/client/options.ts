/** Options of each call. */
export type CallOptions = {
  /** Aborts the call, waits included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * The longest time to wait for one response, in milliseconds: 30,000 by default, null for no
   * limit.
   */
  readonly timeoutMs?: number | null | undefined
  /**
   * Number of retries, 2 by default: after the `Retry-After` of a 429, and if the call can be
   * repeated, also after that of a 503 or, if no response came, after a short pause. A timeout is
   * not retried.
   */
  readonly retries?: number | undefined
  /**
   * The longest `Retry-After` to wait for, and the longest wait before a stream is reopened, in
   * milliseconds: 60,000 by default.
   */
  readonly waitMsMax?: number | undefined
}

export type RecordingOptions = CallOptions & {
  /** Your own string instead of a random one, unique to each batch: it makes a retry safe. */
  readonly idempotencyKey?: string | undefined
}

/** Options of a stream. `timeoutMs` limits the time to open a connection. */
export type StreamOptions = CallOptions & {
  /** The id of the last event that you have processed: later events are sent first. */
  readonly lastEventId?: string | null | undefined
  /**
   * The longest silence in milliseconds before the stream is reopened: 45,000 by default, null for
   * no limit. The service sends a heartbeat every 15 seconds.
   */
  readonly silenceMsMax?: number | null | undefined
}

/** URL of the service, key, and the defaults of every call. */
export type CorridorOptions = Omit<CallOptions, 'signal'> & {
  /** The URL of the service, such as `https://corridor.example`. */
  readonly url: string | URL
  /** A key of your account. Without a key only `getStatus` works. */
  readonly key?: string | undefined
  /** The header with the key: `X-API-Key` by default, or `Authorization` as a Bearer token. */
  readonly keyHeader?: 'X-API-Key' | 'Authorization' | undefined
  /** Sends requests instead of the global `fetch`: through a proxy, or to inspect headers. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Waits before a retry, instead of a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}
