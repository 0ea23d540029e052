import { hash } from 'node:crypto'
import {
  consistencySpans,
  HASH_BYTES,
  inclusionSpans,
  isEqual,
  type Span,
  splitOf,
  type Tree,
} from './span.ts'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

type Bytes = Uint8Array

/** The hash of an entry. https://www.rfc-editor.org/rfc/rfc6962#section-2.1 */
export const leafHash = (entry: Bytes): Bytes => sha256(LEAF, entry)

/** The hash input of a node, overwritten for each. */
const node = Buffer.concat([NODE, new Uint8Array(2 * HASH_BYTES)])

/** The hash of two neighbouring subtrees. */
export function nodeHash(left: Bytes, right: Bytes): Bytes {
  node.set(left, NODE.length)
  node.set(right, NODE.length + HASH_BYTES)
  return hash('sha256', node, 'buffer')
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Bytes = sha256()

/** Gives the hash of 2^level leaves, those from `index * 2^level` on. */
export type HashReader = (level: number, index: number) => Promise<Bytes>

export async function spanHash({ start, end }: Span, read: HashReader): Promise<Bytes> {
  const size = end - start
  if (size === 0) return EMPTY_ROOT
  const left = splitOf(size)
  if (size === 1 || left * 2 === size) return read(Math.log2(size), start / size)
  const middle = start + left
  const halves = [
    { start, end: middle },
    { start: middle, end },
  ]
  const [first, second] = await Promise.all(halves.map((half) => spanHash(half, read)))
  return nodeHash(first!, second!)
}

type Inclusion = { readonly index: number; readonly leaf: Bytes; readonly path: readonly Bytes[] }

export function includes({ size, root }: Tree, { index, leaf, path }: Inclusion): boolean {
  if (!(index >= 0 && index < size)) return false
  const spans = inclusionSpans(index, size)
  if (spans.length !== path.length) return false
  const reached = spans.reduce(
    (own, { start }, i) => (start > index ? nodeHash(own, path[i]!) : nodeHash(path[i]!, own)),
    leaf,
  )
  return isEqual(reached, root)
}

/** Reports whether a proof shows that the one tree is the beginning of the other. */
export function isConsistent(from: Tree, to: Tree, proof: readonly Bytes[]): boolean {
  if (from.size > to.size) return false
  if (from.size === 0) return proof.length === 0
  if (from.size === to.size) return proof.length === 0 && isEqual(from.root, to.root)
  const spans = consistencySpans(from.size, to.size)
  if (spans.length !== proof.length) return false
  const isWhole = spans[0]!.end > from.size
  let [older, newer] = isWhole ? [from.root, from.root] : [proof[0]!, proof[0]!]
  for (let i = isWhole ? 0 : 1; i < spans.length; i++) {
    const [{ start }, own] = [spans[i]!, proof[i]!]
    if (start < from.size) older = nodeHash(own, older)
    newer = start < from.size ? nodeHash(own, newer) : nodeHash(newer, own)
  }
  return isEqual(older, from.root) && isEqual(newer, to.root)
}

function sha256(...parts: Bytes[]): Bytes {
  const [only = new Uint8Array()] = parts
  return hash('sha256', parts.length === 1 ? only : Buffer.concat(parts), 'buffer')
}
