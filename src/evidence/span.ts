/** The length of a hash: SHA-256. */
export const HASH_BYTES = 32

/** Leaves from `start` up to but not including `end`. */
export type Span = { readonly start: number; readonly end: number }

export type Tree = { readonly size: number; readonly root: Uint8Array }

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

/** The greatest power of two below a size above 1. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

export const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])
