/** What may be chosen for each call. */
export type CallOptions = {
  /** Ends the call, waits included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for one answer: 30,000 unless said, null for ever. */
  readonly timeoutMs?: number | null | undefined
  /**
   * How often to try again, 2 unless said: after the `Retry-After` of a 429 or 503, and after a
   * short pause where no answer came and the call can be repeated. A timeout is not tried again.
   */
  readonly retries?: number | undefined
  /** The longest `Retry-After` to wait for: 60,000 unless said. */
  readonly waitMsMax?: number | undefined
}

/** What may be chosen for a call that records something. */
export type RecordingOptions = CallOptions & {
  /** A text of your own in place of a random one, new for every batch: it makes a retry safe. */
  readonly idempotencyKey?: string | undefined
}

/** What may be chosen for a stream. `timeoutMs` is how long a connection may take to open. */
export type StreamOptions = CallOptions & {
  /** The id of the last event that you have dealt with: what came after it is sent first. */
  readonly lastEventId?: string | null | undefined
  /**
   * How long nothing may come before the stream is opened again: 45,000 unless said, null for ever.
   * The service sends a sign of life every 15 seconds.
   */
  readonly silenceMsMax?: number | null | undefined
}

/** Where the service is, who asks, and what holds for every call that does not say otherwise. */
export type CorridorOptions = Omit<CallOptions, 'signal'> & {
  /** The address of the service, such as `https://corridor.example`. */
  readonly url: string | URL
  /** A key of your account. Without one only `getStatus` answers. */
  readonly key?: string | undefined
  /** The header that carries the key: `X-API-Key` unless said, or `Authorization`, as a Bearer. */
  readonly keyHeader?: 'X-API-Key' | 'Authorization' | undefined
  /** Sends requests in place of the global `fetch`: by a proxy, say, or to look at headers. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Waits before another try, in place of a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}
