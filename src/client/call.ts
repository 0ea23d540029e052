/** One operation, and what goes into it. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As the document writes it: parameters whose names stand in braces are filled in there. */
  readonly path: string
  readonly parameters?: object | undefined
  readonly body?: unknown
  /** Says whether the operation takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean
  /**
   * Says whether it answers with something else than JSON: its value is then the response itself.
   */
  readonly isRaw?: boolean
  readonly headers?: Readonly<Record<string, string>>
}
