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
