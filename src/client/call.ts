/** An operation with its input. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path as in the document: parameters in braces are replaced by their values. */
  readonly path: string
  readonly parameters?: object | undefined
  readonly body?: unknown
  /** Says whether the operation takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean
  /** Says whether the response is not JSON: its value is then the `Response` itself. */
  readonly isRaw?: boolean
  readonly headers?: Readonly<Record<string, string>>
}
