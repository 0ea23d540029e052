/** A string in chunks of `size` bytes, as a reader of files would return it. */
export async function* byteChunks(
  text: string | Uint8Array,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += size)
    yield bytes.subarray(at, Math.min(at + size, bytes.length))
}

/** All items of the arrays, in one. */
export async function gathered<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) all.push(...batch)
  return all
}
