import { HASH_BYTES } from './span.ts'
import { type HashReader, nodeHash } from './tree.ts'

/** The number of hashes of a full tile, and of entries of a full bundle. */
export const TILE_WIDTH = 256
/** The height of a tile: each of its hashes is that of a full tile one level below. */
const TILE_HEIGHT = 8
const LEVEL_MAX = 63

/** A tile of a level, counted from 0, with the hashes it has. */
export type Tile = { readonly level: number; readonly index: number; readonly hashes: Uint8Array }

/** A tile by its place and width; `entries` is the level of bundles. */
export type TileName = {
  readonly level: number | 'entries'
  readonly index: number
  readonly width: number
}

/** The path of a tile below the prefix of its log. https://c2sp.org/tlog-tiles */
export function tilePath({ level, index, width }: TileName): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0')
  const parts = digits.match(/.{3}/g)!
  const place = parts.map((part, i) => (i < parts.length - 1 ? `x${part}` : part)).join('/')
  return `tile/${level}/${place}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

const PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/

/** The tile that a path names; null for a path that is not one, or is written another way. */
export function tileNameOf(path: string): TileName | null {
  const [, level, place, width] = PATH.exec(path) ?? []
  if (level === undefined || place === undefined) return null
  const name: TileName = {
    level: level === 'entries' ? level : Number(level),
    index: Number(place.replace(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const isTile = name.width >= 1 && (name.level === 'entries' || name.level <= LEVEL_MAX)
  return isTile && tilePath(name) === path ? name : null
}

/** The number of hashes that a tile has in a tree of this size; 0 if it does not exist. */
export function widthIn(size: number, level: number, index: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

/** Reads hashes of a tree of this size from its tiles. */
export function tileReader(
  size: number,
  tileOf: (level: number, index: number, width: number) => Promise<Uint8Array>,
): HashReader {
  const known = new Map<string, Promise<Uint8Array>>()
  const read = (level: number, index: number) => {
    const name = `${level} ${index}`
    const tile = known.get(name) ?? tileOf(level, index, widthIn(size, level, index))
    known.set(name, tile)
    return tile
  }
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_HEIGHT)
    const count = 2 ** (level % TILE_HEIGHT)
    const first = index * count
    const tile = await read(tileLevel, Math.floor(first / TILE_WIDTH))
    return perfectHash(tile, first % TILE_WIDTH, count)
  }
}

/** The right edge of a tree, to which leaves are appended. */
export class Edge {
  /** The last tile of each level, from the leaves up, unless it is full. */
  readonly #partial: Uint8Array[]
  #size: number

  constructor(size: number, partial: readonly Uint8Array[]) {
    this.#size = size
    this.#partial = [...partial]
  }

  get size(): number {
    return this.#size
  }

  /** Appends the hashes of leaves; returns all changed tiles, each in its final state. */
  append(leaves: readonly Uint8Array[]): Tile[] {
    const changed = new Map<string, Tile>()
    const put = (level: number, own: readonly Uint8Array[]) => {
      const before = Math.floor(this.#size / TILE_WIDTH ** level)
      const first = Math.floor(before / TILE_WIDTH)
      const all = Buffer.concat([this.#partial[level] ?? new Uint8Array(), ...own])
      const tileBytes = TILE_WIDTH * HASH_BYTES
      const full: Uint8Array[] = []
      for (let at = 0; at < all.length; at += tileBytes) {
        const hashes = all.subarray(at, at + tileBytes)
        const index = first + at / tileBytes
        changed.set(`${level} ${index}`, { level, index, hashes })
        if (hashes.length === tileBytes) full.push(perfectHash(hashes, 0, TILE_WIDTH))
      }
      this.#partial[level] = all.subarray(full.length * tileBytes)
      if (full.length > 0) put(level + 1, full)
    }
    if (leaves.length > 0) put(0, leaves)
    this.#size += leaves.length
    return [...changed.values()]
  }

  partial(): Tile[] {
    return this.#partial.flatMap((hashes, level) => {
      const index = Math.floor(this.#size / TILE_WIDTH ** (level + 1))
      return hashes.length > 0 ? [{ level, index, hashes }] : []
    })
  }

  /** The root of the tree; null for one without leaves. */
  root(): Uint8Array | null {
    let root: Uint8Array | null = null
    for (const tile of this.#partial)
      for (const own of perfectHashes(tile)) root = root ? nodeHash(own, root) : own
    return root
  }
}

/** The hashes of the perfect subtrees of a tile, the rightmost and smallest first. */
function perfectHashes(tile: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = []
  let end = tile.length / HASH_BYTES
  for (let count = 1; end > 0; count *= 2) {
    if (end % (count * 2) === 0) continue
    end -= count
    hashes.push(perfectHash(tile, end, count))
  }
  return hashes
}

/** The hash over `count` hashes of a tile, a power of two. */
function perfectHash(tile: Uint8Array, first: number, count: number): Uint8Array {
  if (count === 1) return tile.slice(first * HASH_BYTES, (first + 1) * HASH_BYTES)
  const half = count / 2
  return nodeHash(perfectHash(tile, first, half), perfectHash(tile, first + half, half))
}
