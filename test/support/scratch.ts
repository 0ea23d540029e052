import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Watches the test run until it ends, however it ends, or has removed the folder itself; then stops
 * the servers with data in the folder and removes it. It becomes an orphan in the background: bun
 * kills the children of a test that takes too long.
 */
const REAPER = `
reap() {
  while [ -e "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 1; done
  tries=0
  while [ -e "$1" ] && [ $tries -lt 100 ]; do
    for file in $(find "$1" -name postmaster.pid 2>/dev/null); do
      read -r pid <"$file"
      { cat "/proc/$pid/cmdline" 2>/dev/null || ps -ww -o command= -p "$pid"; } |
        grep -qaF "$1" && kill -QUIT "$pid"
    done
    rm -rf "$1"
    [ -e "$1" ] && sleep 0.1
    tries=$((tries + 1))
  done
}
reap "$1" "$2" &`

const MEMORY_HOME = '/dev/shm'
/** Six times the measured use of the suite. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3

let scratch: Promise<string> | null = null

/**
 * Makes this process and its children keep temporary files in memory if there is plenty: creating
 * and dropping databases takes a quarter of the CPU time that a disk takes.
 */
export async function preferMemory(): Promise<void> {
  const free = await statfs(MEMORY_HOME).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  if (Math.min(free, process.availableMemory()) >= MEMORY_BYTES_MIN)
    process.env.TMPDIR = MEMORY_HOME
}

/**
 * A new empty folder that any user may enter; it is removed after the test run, even a killed one.
 */
export async function scratchFolder(): Promise<string> {
  scratch ??= makeScratch()
  return openFolder(join(await scratch, 'f-'))
}

/** Removes every scratch folder; no process may still use them. */
export async function removeScratch(): Promise<void> {
  const path = await scratch
  scratch = null
  if (path) await rm(path, { recursive: true, force: true })
}

async function makeScratch(): Promise<string> {
  const path = await openFolder(join(tmpdir(), 'corridor-test-'))
  spawn('/bin/sh', ['-c', REAPER, 'reaper', path, String(process.pid)], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
  }).unref()
  return path
}

async function openFolder(prefix: string): Promise<string> {
  const path = await mkdtemp(prefix)
  await chmod(path, 0o755)
  return path
}
