/** Returns the result of `work`; if it fails, `undo` runs before its error goes on. */
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
