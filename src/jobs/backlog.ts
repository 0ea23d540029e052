type IdRange = { readonly firstId?: number; readonly lastId?: number }

/** What changed in the database; a range says which rows, without one anything may have. */
export type Change =
  | ({ readonly kind: 'observations' } & IdRange)
  | ({ readonly kind: 'references' } & IdRange)
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  | { readonly kind: 'everything' }

/** A longer backlog of changes is one reload of everything. */
export const BACKLOG_MAX = 500
/** The same for the accounts whose usage changed. */
export const BACKLOG_ACCOUNTS_MAX = 5000

/**
 * Changes that wait to be loaded: who may call comes first, then who used how much, then the rest
 * in the order it was heard. Each change loads what holds then, so their order changes nothing.
 */
export class Backlog {
  #access: Change[] = []
  #usage = new Set<string>()
  #others: Change[] = []

  add(change: Change): void {
    if (change.kind === 'access') this.#access.push(change)
    else if (change.kind === 'everything') this.#addEverything()
    else if (this.#isEverything) return
    else if (change.kind === 'usage') for (const id of change.accountIds) this.#usage.add(id)
    else this.#others.push(change)
    if (this.#access.length > BACKLOG_MAX) this.#access = [{ kind: 'access' }]
    if (this.#others.length > BACKLOG_MAX || this.#usage.size > BACKLOG_ACCOUNTS_MAX)
      this.#addEverything()
  }

  /** All else that waits is in it, and need not be loaded before. */
  #addEverything(): void {
    this.#usage.clear()
    this.#others = [{ kind: 'everything' }]
  }

  get #isEverything(): boolean {
    return this.#others[0]?.kind === 'everything'
  }

  /** Takes the next change out; undefined when none waits. */
  next(): Change | undefined {
    const access = this.#access.shift()
    if (access) return access
    if (this.#usage.size === 0) return this.#others.shift()
    const accountIds = [...this.#usage]
    this.#usage.clear()
    return { kind: 'usage', accountIds }
  }

  clear(): void {
    this.#access = []
    this.#usage.clear()
    this.#others = []
  }
}
