import { hash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The newest checkpoint of a database that this machine has seen, in a file of a folder: a database
 * that is restored from an older copy of its disk shows by it. Without the folder, or the right to
 * write there, only the process knows.
 */
export function publishedIn(folder: string, database: () => Promise<string>) {
  const path = async () =>
    join(folder, `log-checkpoint-${hash('sha256', await database()).slice(0, 16)}`)
  return {
    read: async (): Promise<string | null> => readFile(await path(), 'utf8').catch(() => null),
    async write(note: string): Promise<void> {
      const kept = await path()
      const next = `${kept}.${process.pid}`
      await writeFile(next, note)
        .then(() => rename(next, kept))
        .catch(() => {})
    },
  }
}
