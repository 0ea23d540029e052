const LENGTH_BYTES = 2
/** The greatest length of an entry. https://c2sp.org/tlog-tiles */
export const ENTRY_BYTES_MAX = 65_535

/** Entries in a row, each after its length. */
export function bundleOf(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(entry.length)
      return [length, entry]
    }),
  )
}

/** The entries of a bundle; null if its end is missing. */
export function entriesOf(bundle: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; ) {
    const start = at + LENGTH_BYTES
    const length = (bundle[at]! << 8) | (bundle[at + 1] ?? 0)
    at = start + length
    if (at > bundle.length) return null
    entries.push(bundle.subarray(start, at))
  }
  return entries
}
