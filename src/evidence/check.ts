import { HASH_BYTES, isEqual, type Tree } from './span.ts'
import { Edge, TILE_WIDTH, type Tile, widthIn } from './tile.ts'

/** Gives a tile with at least `width` hashes, cut to them; null if there is none. */
type TileSource = (level: number, index: number, width: number) => Promise<Uint8Array | null>

const AT_ONCE = 8

/**
 * Computes every tile above the leaves again from those below it, and the root from all of them;
 * reports those that differ. `onLeaves` gets each tile of leaves.
 */
export async function checkTree(
  { size, root }: Tree,
  tileOf: TileSource,
  onFault: (fault: string) => void,
  onLeaves: (index: number, tile: Uint8Array) => Promise<void> = async () => {},
): Promise<void> {
  const edge = new Edge(0, [])
  const compare = async ({ level, index, hashes }: Tile) => {
    const stored = level === 0 ? hashes : await tileOf(level, index, hashes.length / HASH_BYTES)
    if (!stored || !isEqual(stored, hashes))
      onFault(`tile ${level}/${index} does not match the tiles below it`)
  }
  const count = Math.ceil(size / TILE_WIDTH)
  for (let first = 0; first < count; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => first + i)
    const tiles = await Promise.all(indexes.map((i) => tileOf(0, i, widthIn(size, 0, i))))
    for (const [i, tile] of tiles.entries()) {
      if (!tile) return onFault(`tile 0/${first + i} is missing or too short`)
      await onLeaves(first + i, tile)
      for (const made of edge.append(hashesOf(tile))) if (isFull(made)) await compare(made)
    }
  }
  for (const made of edge.partial()) await compare(made)
  const reached = edge.root()
  if (reached && !isEqual(reached, root)) onFault('the tiles do not lead to the signed root')
}

const isFull = ({ hashes }: Tile): boolean => hashes.length === TILE_WIDTH * HASH_BYTES

export const hashesOf = (tile: Uint8Array): Uint8Array[] =>
  Array.from({ length: tile.length / HASH_BYTES }, (_, i) =>
    tile.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  )
