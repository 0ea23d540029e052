import type { Access, Account, Caller, Key } from '~/domain/account.ts'
import { isWellFormedKey, keyHashOf } from '~/domain/api-key.ts'
import { tierOf } from '~/domain/quota.ts'
import { PersistentMap } from './persistent-map.ts'

/** The maximum number of strings of each sort that are cached with their hash. */
const KNOWN_MAX = 10_000
const UNKNOWN_MAX = 1000

/** Every key by its hash and every account by its id, immutable: who is admitted. */
export class KeyIndex {
  /**
   * Results of `callerOf`: hashing costs more than all other steps of identifying a caller.
   *
   * Cache 1 of a read, see docs/architecture.md.
   */
  readonly #known = new Map<string, Caller>()
  /** Well-formed keys that do not exist; a client that shows one usually keeps showing it. */
  readonly #unknown = new Set<string>()

  private constructor(
    private readonly keys: PersistentMap<Key>,
    private readonly accounts: PersistentMap<Account>,
    private readonly keysByAccount: PersistentMap<readonly Key[]>,
  ) {}

  static readonly empty = new KeyIndex(
    PersistentMap.empty(),
    PersistentMap.empty(),
    PersistentMap.empty(),
  )

  /** This index with accounts and keys added or replaced, each by its id. */
  with(changed: Access): KeyIndex {
    const lists = new Map<string, readonly Key[]>()
    for (const [accountId, own] of Map.groupBy(changed.keys, (key) => key.accountId)) {
      const byId = new Map(this.keysOf(accountId).map((key) => [key.id, key]))
      for (const key of own) byId.set(key.id, key)
      lists.set(accountId, [...byId.values()])
    }
    return new KeyIndex(
      this.keys.with(changed.keys.map((key) => [key.hash, key] as const)),
      this.accounts.with(changed.accounts.map((account) => [account.id, account] as const)),
      this.keysByAccount.with(lists),
    )
  }

  /** The caller that presents this string as a key; undefined if the string is not a key. */
  callerOf(text: string): Caller | undefined {
    const known = this.#known.get(text)
    if (known) return known
    if (this.#unknown.has(text) || !isWellFormedKey(text)) return undefined
    const key = this.keyByHash(keyHashOf(text))
    const account = key && this.account(key.accountId)
    if (!account) {
      if (this.#unknown.size >= UNKNOWN_MAX) this.#unknown.clear()
      this.#unknown.add(text)
      return undefined
    }
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    const caller = { key, account, tier: tierOf(account.plan) }
    this.#known.set(text, caller)
    return caller
  }

  keyByHash(hash: string): Key | undefined {
    return this.keys.get(hash)
  }

  account(id: string): Account | undefined {
    return this.accounts.get(id)
  }

  /** All keys an account ever had, in order of appearance. */
  keysOf(accountId: string): readonly Key[] {
    return this.keysByAccount.get(accountId) ?? []
  }

  get keyCount(): number {
    return this.keys.size
  }
}
