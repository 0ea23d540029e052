/** Options of each call. */
export type CallOptions = {
  /** Ends the call, waits included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The time to wait for one answer: 30,000 unless said, null for ever. */
  readonly timeoutMs?: number | null | undefined
  /**
   * Number of retries, 2 by default: after the `Retry-After` of a 429 or 503, and after a short
   * pause if no response came and the call can be repeated. A timeout is not retried.
   */
  readonly retries?: number | undefined
  /** The longest `Retry-After` to wait for: 60,000 unless said. */
  readonly waitMsMax?: number | undefined
}

export type RecordingOptions = CallOptions & {
  /** A text of your own instead of a random one, new for every batch: it makes a retry safe. */
  readonly idempotencyKey?: string | undefined
}

/** Options of a stream. `timeoutMs` is how long a connection may take to open. */
export type StreamOptions = CallOptions & {
  /** The id of the last event that you have dealt with: what came after it is sent first. */
  readonly lastEventId?: string | null | undefined
  /**
   * The longest time for which nothing may come before the stream is opened again: 45,000 unless
   * said, null for ever. The service sends a sign of life every 15 seconds.
   */
  readonly silenceMsMax?: number | null | undefined
}

/** Address of the service, key, and the defaults of every call. */
export type CorridorOptions = Omit<CallOptions, 'signal'> & {
  /** The address of the service, such as `https://corridor.example`. */
  readonly url: string | URL
  /** A key of your account. Without one only `getStatus` answers. */
  readonly key?: string | undefined
  /** The header that carries the key: `X-API-Key` unless said, or `Authorization`, as a Bearer. */
  readonly keyHeader?: 'X-API-Key' | 'Authorization' | undefined
  /** Sends requests instead of the global `fetch`: by a proxy, or to look at headers. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Waits before another try, instead of a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}
