type FirstLook<T> = {
  readonly first: readonly T[]
  /** All items, each once, starting with those of the first look. */
  readonly all: AsyncIterable<T>
  /** Ends the reading; to be called when no more items are wanted. */
  close(): Promise<void>
}

/** Reads the first items ahead of all, until they are enough or there are no more. */
export async function firstLook<T>(
  items: AsyncIterable<T>,
  isEnough: (read: readonly T[]) => boolean,
): Promise<FirstLook<T>> {
  const reading = items[Symbol.asyncIterator]()
  const read: T[] = []
  while (!isEnough(read)) {
    const { done, value } = await reading.next()
    if (done) break
    read.push(value)
  }
  const first = [...read]
  async function* all() {
    while (read.length > 0) yield read.shift()!
    for (;;) {
      const { done, value } = await reading.next()
      if (done) return
      yield value
    }
  }
  return {
    first,
    all: all(),
    async close() {
      await reading.return?.()
    },
  }
}
