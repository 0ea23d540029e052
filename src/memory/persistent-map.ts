const SHARDS = 256

/**
 * A map that is never changed: `with` gives a new one and leaves the old one to its readers.
 *
 * The keys are spread over a fixed number of shards and only the touched ones are copied, so a
 * change of n keys costs n shards and a copy of the shard table, whatever the size of the whole.
 */
export class PersistentMap<V> {
  private constructor(
    private readonly shards: readonly ReadonlyMap<string, V>[],
    readonly size: number,
  ) {}

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>(new Array(SHARDS).fill(new Map()), 0)
  }

  get(key: string): V | undefined {
    return this.shards[shardOf(key)]!.get(key)
  }

  /** A map with `entries` put in place; of two entries with one key the later counts. */
  with(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    const shards = [...this.shards]
    const copied = new Map<number, Map<string, V>>()
    let size = this.size
    for (const [key, value] of entries) {
      const position = shardOf(key)
      let shard = copied.get(position)
      if (!shard) {
        shard = new Map(shards[position])
        copied.set(position, shard)
        shards[position] = shard
      }
      if (!shard.has(key)) size += 1
      shard.set(key, value)
    }
    return new PersistentMap(shards, size)
  }

  /** Every value, in no particular order. */
  *values(): Generator<V> {
    for (const shard of this.shards) yield* shard.values()
  }
}

/** FNV-1a over the UTF-16 units, folded to a shard. http://www.isthe.com/chongo/tech/comp/fnv/ */
function shardOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) & (SHARDS - 1)
}
