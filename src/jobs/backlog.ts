import type { Window } from '~/domain/period.ts'

export type IdRange = {
  readonly firstId?: number
  readonly lastId?: number
  /** The times of the rows, for observations. */
  readonly window?: Window
  /** Position in the log of changes. */
  readonly position?: number | null
  /** Says whether the log says there which observations it withdrew. */
  readonly isWithdrawal?: boolean
}

/** A change in the database; a range tells which rows changed, without one any may have. */
export type DatabaseChange =
  | ({ readonly kind: 'observations' } & IdRange)
  | ({ readonly kind: 'references' } & IdRange)
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  | { readonly kind: 'everything' }

/** The most changes in the queue; beyond that they become one reload of everything. */
export const BACKLOG_MAX = 500
/** The most accounts with changed usage in the queue. */
export const BACKLOG_ACCOUNTS_MAX = 5000

/**
 * Changes that wait to be loaded: access first, then usage, then the rest in the order of arrival.
 * Each change loads the present state, so their order does not matter for the result.
 */
export class Backlog {
  #access: DatabaseChange[] = []
  #usage = new Set<string>()
  #others: DatabaseChange[] = []

  add(change: DatabaseChange): void {
    if (change.kind === 'access') this.#access.push(change)
    else if (change.kind === 'everything') this.#addEverything()
    else if (this.#isEverything) return
    else if (change.kind === 'usage') for (const id of change.accountIds) this.#usage.add(id)
    else this.#others.push(change)
    if (this.#access.length > BACKLOG_MAX) this.#access = [{ kind: 'access' }]
    if (this.#others.length > BACKLOG_MAX || this.#usage.size > BACKLOG_ACCOUNTS_MAX)
      this.#addEverything()
  }

  /** Queues a reload of everything, which covers every other change that waits. */
  #addEverything(): void {
    this.#usage.clear()
    this.#others = [{ kind: 'everything' }]
  }

  get #isEverything(): boolean {
    return this.#others[0]?.kind === 'everything'
  }

  /**
   * Takes out what waits now, each in its turn, and before it what is more urgent by then.
   */
  *round(): Generator<DatabaseChange> {
    for (let left = this.#others.length; ; left--) {
      yield* this.#urgent()
      const change = left > 0 && this.#others.shift()
      if (!change) return
      yield change
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
    this.#others = []
  }
}
