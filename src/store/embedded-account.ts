import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWN_USER = 'corridor'

/** An operating system user; the database's processes run as one when corridor runs as root. */
export type Account = { name: string; uid: number; gid: number }

/** How accounts are looked up and made, so that a machine without any can be played in a test. */
export type AccountSystem = { passwd(): string; create(name: string): void }

const thisMachine: AccountSystem = {
  passwd: () => readFileSync('/etc/passwd', 'utf8'),
  create: (name) => {
    const home = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
    spawnSync('useradd', ['--system', '--user-group', ...home, name], { stdio: 'ignore' })
  },
}

/**
 * Whom root lends the database to, as PostgreSQL refuses to run as root: `postgres` when the
 * machine has it, else `corridor`, which is created, else `nobody`.
 */
export function accountForRoot(system: AccountSystem = thisMachine): Account {
  const known = find(system, 'postgres') ?? find(system, OWN_USER)
  if (known) return known
  system.create(OWN_USER)
  const account = find(system, OWN_USER) ?? find(system, 'nobody')
  if (account) return account
  throw new Error(
    'PostgreSQL does not run as root and this machine has no other user for it: ' +
      'run corridor as an ordinary user, or set DATABASE_URL',
  )
}

/** The first directory on the way down to `path` (itself included) that `account` cannot enter. */
export async function closedTo(account: Account, path: string): Promise<string | null> {
  const parent = dirname(path)
  if (parent !== path) {
    const closed = await closedTo(account, parent)
    if (closed) return closed
  }
  return mayExecute(account, await stat(path)) ? null : path
}

/** Whether the mode of a file or directory lets `account` run or enter it. */
function mayExecute(account: Account, file: { uid: number; gid: number; mode: number }): boolean {
  if (file.uid === account.uid) return (file.mode & 0o100) !== 0
  if (file.gid === account.gid) return (file.mode & 0o010) !== 0
  return (file.mode & 0o001) !== 0
}

export async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await lstat(path)
  return { uid, gid }
}

/** The name of a user id, or the id itself where the machine has no name for it. */
export function userName(uid: number, system: AccountSystem = thisMachine): string {
  for (const line of system.passwd().split('\n')) {
    const [name, , id] = line.split(':')
    if (name && id === String(uid)) return name
  }
  return String(uid)
}

function find(system: AccountSystem, name: string): Account | null {
  for (const line of system.passwd().split('\n')) {
    const [user, , uid, gid] = line.split(':')
    if (user === name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return null
}
