/**
 * Runs work on each item, on `atOnceMax` at a time. Rejects if one failed, once no work is in
 * progress.
 */
export async function inTurn<T>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    while (waiting.length > 0) await work(waiting.shift()!)
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnceMax }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
