import { hash } from 'node:crypto'

/** The length of a hash: SHA-256. */
export const HASH_BYTES = 32

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

type Bytes = Uint8Array

/** The hash of an entry. https://www.rfc-editor.org/rfc/rfc6962#section-2.1 */
export const leafHash = (entry: Bytes): Bytes => sha256(LEAF, entry)

/** The hash of two neighbouring subtrees. */
export const nodeHash = (left: Bytes, right: Bytes): Bytes => sha256(NODE, left, right)

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Bytes = sha256()

/** Leaves from `start` up to but not including `end`. */
export type Span = { readonly start: number; readonly end: number }

/** Gives the hash of 2^level leaves, those from `index * 2^level` on. */
export type HashReader = (level: number, index: number) => Promise<Bytes>

/** The hash of a span of leaves that is a subtree of a larger tree, or a whole one. */
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

/**
 * The spans whose hashes prove that a leaf is in a tree of this size, from the leaf up.
 * https://www.rfc-editor.org/rfc/rfc6962#section-2.1.1
 */
export function inclusionSpans(index: number, size: number): Span[] {
  const spans: Span[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    const isLeft = index < middle
    spans.push(isLeft ? { start: middle, end } : { start, end: middle })
    if (isLeft) end = middle
    else start = middle
  }
  return spans.reverse()
}

/**
 * The spans whose hashes prove that a tree of size `from` is the beginning of one of size `to`.
 * https://www.rfc-editor.org/rfc/rfc6962#section-2.1.2
 */
export function consistencySpans(from: number, to: number): Span[] {
  if (from === 0 || from === to) return []
  const spans: Span[] = []
  let [start, end] = [0, to]
  while (end !== from) {
    const middle = start + splitOf(end - start)
    const isLeft = from <= middle
    spans.push(isLeft ? { start: middle, end } : { start, end: middle })
    if (isLeft) end = middle
    else start = middle
  }
  if (start > 0) spans.push({ start, end })
  return spans.reverse()
}

export type Tree = { readonly size: number; readonly root: Bytes }

type Inclusion = { readonly index: number; readonly leaf: Bytes; readonly path: readonly Bytes[] }

/** Whether a path leads from a leaf to the root of a tree. */
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

/** Whether a proof shows that the one tree is the beginning of the other. */
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

/** The greatest power of two below a size above 1. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

export const isEqual = (a: Bytes, b: Bytes): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

function sha256(...parts: Bytes[]): Bytes {
  const [only = new Uint8Array()] = parts
  return hash('sha256', parts.length === 1 ? only : Buffer.concat(parts), 'buffer')
}
