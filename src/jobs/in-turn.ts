/** Runs work on `atOnceMax` items at a time; rejects with the first failure, at the end. */
export async function inTurn<T>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const failures: unknown[] = []
  const worker = async () => {
    while (waiting.length > 0)
      await work(waiting.shift()!).catch((failure) => void failures.push(failure))
  }
  await Promise.all(Array.from({ length: atOnceMax }, worker))
  if (failures.length > 0) throw failures[0]
}
