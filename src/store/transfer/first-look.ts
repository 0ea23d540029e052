type FirstLook<T> = {
  /** The rows up to the limit, or all where there are fewer. */
  readonly first: readonly T[]
  /** All rows, once, those of the first look at the start. */
  readonly all: AsyncIterable<readonly T[]>
  /** Ends the reading; to be called when no more rows are wanted. */
  close(): Promise<void>
}

/** Reads the first rows, `rowsMax` of them or a few more, ahead of all. */
export async function firstLook<T>(
  batches: AsyncIterable<readonly T[]>,
  rowsMax: number,
): Promise<FirstLook<T>> {
  const reading = batches[Symbol.asyncIterator]()
  const read: (readonly T[])[] = []
  for (let rows = 0; rows < rowsMax; ) {
    const { done, value } = await reading.next()
    if (done) break
    read.push(value)
    rows += value.length
  }
  async function* all() {
    while (read.length > 0) yield read.shift()!
    for (;;) {
      const { done, value } = await reading.next()
      if (done) return
      yield value
    }
  }
  return {
    first: read.flat(),
    all: all(),
    async close() {
      await reading.return?.()
    },
  }
}
