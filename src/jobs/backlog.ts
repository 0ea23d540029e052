/** A change in the database that the log of changes does not report. */
export type DatabaseChange =
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  | { readonly kind: 'everything' }

/** The most changes in the queue; beyond that they become one reload of everything. */
export const BACKLOG_MAX = 500
/** The most accounts with changed usage in the queue. */
export const BACKLOG_ACCOUNTS_MAX = 5000

/**
 * Changes that wait to be loaded: access first, then usage, then the rest. Each change loads the
 * present state, so their order does not matter for the result.
 */
export class Backlog {
  #access: DatabaseChange[] = []
  #usage = new Set<string>()
  #rest: DatabaseChange | null = null

  add(change: DatabaseChange): void {
    if (change.kind === 'access') this.#access.push(change)
    else if (change.kind === 'usage') for (const id of change.accountIds) this.#usage.add(id)
    else if (this.#rest?.kind !== 'everything') this.#rest = change
    if (this.#access.length > BACKLOG_MAX) this.#access = [{ kind: 'access' }]
    const isEverything = this.#rest?.kind === 'everything'
    if (!isEverything && this.#usage.size <= BACKLOG_ACCOUNTS_MAX) return
    this.#usage.clear()
    this.#rest = { kind: 'everything' }
  }

  /** Takes out what waits, the most urgent first. */
  *round(): Generator<DatabaseChange> {
    for (let rest = this.#rest; ; rest = null) {
      yield* this.#urgent()
      if (!rest) return
      this.#rest = null
      yield rest
    }
  }

  *#urgent(): Generator<DatabaseChange> {
    for (;;) {
      const access = this.#access.shift()
      if (access) yield access
      else if (this.#usage.size === 0) return
      else {
        const accountIds = [...this.#usage]
        this.#usage.clear()
        yield { kind: 'usage', accountIds }
      }
    }
  }

  clear(): void {
    this.#access = []
    this.#usage.clear()
    this.#rest = null
  }
}
