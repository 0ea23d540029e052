import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWN_USER = 'corridor'

/** An operating system user; the database's processes run as one when corridor runs as root. */
export type SystemUser = { name: string; uid: number; gid: number }

/** Looks up and creates users; a test can replace it for a machine without any. */
export type UserSystem = { passwd(): string; create(name: string): void }

const thisMachine: UserSystem = {
  passwd: () => readFileSync('/etc/passwd', 'utf8'),
  create: (name) => {
    const home = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
    spawnSync('useradd', ['--system', '--user-group', ...home, name], { stdio: 'ignore' })
  },
}

/**
 * The user that root runs the database as, since PostgreSQL refuses to run as root: `postgres` or
 * `corridor` if the machine has it, else `corridor`, which is created, else `nobody`.
 */
export function userForRoot(system: UserSystem = thisMachine): SystemUser {
  const known = find(system, 'postgres') ?? find(system, OWN_USER)
  if (known) return known
  system.create(OWN_USER)
  const user = find(system, OWN_USER) ?? find(system, 'nobody')
  if (user) return user
  throw new Error(
    'PostgreSQL does not run as root and this machine has no other user for it: ' +
      'run corridor as an ordinary user, or set DATABASE_URL',
  )
}

/** The first directory on the way down to `path` (itself included) that `user` cannot enter. */
export async function closedTo(user: SystemUser, path: string): Promise<string | null> {
  const parent = dirname(path)
  if (parent !== path) {
    const closed = await closedTo(user, parent)
    if (closed) return closed
  }
  return mayExecute(user, await stat(path)) ? null : path
}

/** Reports whether the mode of a file or directory lets `user` run or enter it. */
function mayExecute(user: SystemUser, file: { uid: number; gid: number; mode: number }): boolean {
  if (file.uid === user.uid) return (file.mode & 0o100) !== 0
  if (file.gid === user.gid) return (file.mode & 0o010) !== 0
  return (file.mode & 0o001) !== 0
}

export async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await lstat(path)
  return { uid, gid }
}

/** The name of a user id, or the id itself if the machine has no name for it. */
export function userName(uid: number, system: UserSystem = thisMachine): string {
  for (const line of system.passwd().split('\n')) {
    const [name, , id] = line.split(':')
    if (name && id === String(uid)) return name
  }
  return String(uid)
}

function find(system: UserSystem, name: string): SystemUser | null {
  for (const line of system.passwd().split('\n')) {
    const [own, , uid, gid] = line.split(':')
    if (own === name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return null
}
