import { Database } from 'bun:sqlite'
import { chown, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ownerOf } from './user.ts'

const POLL_MS = 15
const held = new Set<Lock>()

type LockMode = 'shared' | 'exclusive'

/** A lock on a file, held until `release` or the end of the process, however it ends. */
export type Lock = { release(): void }

/**
 * Takes the lock named by a file, or returns null if another process holds it.
 *
 * The kernel holds the lock (through SQLite's file locks, the portable ones in Bun). So `kill -9`
 * frees it at once, a reused pid cannot hold it, and containers that share a volume see it too. The
 * file is created if missing, readable by its directory's owner only, and stays.
 */
export async function tryLock(path: string, mode: LockMode): Promise<Lock | null> {
  await createLockFile(path)
  const database = new Database(path)
  try {
    database.run('PRAGMA journal_mode = MEMORY')
    database.run(mode === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN')
    if (mode === 'shared') database.query('SELECT 1 FROM sqlite_master').all()
  } catch (error) {
    database.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null
    throw new Error(
      `cannot lock ${path}: DATA_DIR has to be on a disk with file locks, or set DATABASE_URL`,
      { cause: error },
    )
  }
  const lock: Lock = {
    release() {
      if (held.delete(lock)) database.close()
    },
  }
  held.add(lock)
  return lock
}

export type Wait = {
  readonly msMax: number
  /** A signal that makes the wait reject. */
  readonly ended?: AbortSignal | undefined
}

/** Waits for an exclusive lock for a while, then returns null. */
export async function lockWithin(path: string, { msMax, ended }: Wait): Promise<Lock | null> {
  const deadline = performance.now() + msMax
  for (;;) {
    ended?.throwIfAborted()
    const lock = await tryLock(path, 'exclusive')
    if (lock || performance.now() > deadline) return lock
    await delay(POLL_MS)
  }
}

/** Creates a lock file unless it exists: closing an opened one would drop our own locks on it. */
async function createLockFile(path: string) {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  const owner = await ownerOf(dirname(path))
  if (process.getuid?.() === 0) await chown(path, owner.uid, owner.gid)
}
