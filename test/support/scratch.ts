import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Waits for the end of its input, which comes with the end of the test run, however it ends; then
 * ends the servers whose data lies in the folder and removes it.
 */
const REAPER = `
cat >/dev/null
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
done`

type Scratch = { path: string; reaper: ChildProcess }

let scratch: Promise<Scratch> | null = null

/** A new empty folder that any user may enter; it is gone after the test run, even a killed one. */
export async function scratchFolder(): Promise<string> {
  scratch ??= makeScratch()
  return openFolder(join((await scratch).path, 'f-'))
}

/** Removes every scratch folder; nothing in them may be running any more. */
export async function removeScratch(): Promise<void> {
  const made = await scratch
  scratch = null
  if (!made) return
  await rm(made.path, { recursive: true, force: true })
  made.reaper.kill('SIGKILL')
}

async function makeScratch(): Promise<Scratch> {
  const path = await openFolder(join(tmpdir(), 'corridor-test-'))
  const reaper = spawn('/bin/sh', ['-c', REAPER, 'reaper', path], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  return { path, reaper }
}

async function openFolder(prefix: string): Promise<string> {
  const path = await mkdtemp(prefix)
  await chmod(path, 0o755)
  return path
}
