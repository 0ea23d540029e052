/** Calls `make` once and keeps its result; if that rejects, the next call makes it again. */
export function madeOnce<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= Promise.try(make).catch((error) => {
      made = null
      throw error
    })
    return made
  }
}
