type Part = { stop(): unknown }

/** What `work` comes to; where it fails, `undo` comes before its error goes on. */
export async function undoOnFailure<T>(
  work: () => T | Promise<T>,
  undo: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo().catch(() => {})
    throw error
  }
}

/** The same for a start: what runs already is stopped, or the process would never end. */
export const stopOnFailure = <T>(work: () => T | Promise<T>, parts: readonly Part[]): Promise<T> =>
  undoOnFailure(work, () => Promise.allSettled(parts.map(async (part) => part.stop())))
