import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { giveToOwner, type Home } from './home.ts'
import { ifThere } from './if-there.ts'
import { run } from './run.ts'

const PASSWORD_BYTES = 32
const DRAFT = 'data.new-'

/** The role that owns everything in the embedded database, and the database's name. */
export const ROLE = 'corridor'

/** The major version in the embedded database's own files; null before the first start. */
export async function clusterMajor({ data }: Home): Promise<number | null> {
  const text = await ifThere(readFile(join(data, 'PG_VERSION'), 'utf8'))
  return text === null ? null : Number.parseInt(text, 10)
}

export async function clusterPassword({ directory }: Home): Promise<string> {
  return (await readFile(join(directory, 'password'), 'utf8')).trim()
}

/** Fails with advice when the installed programs cannot read the existing data. */
export async function requireSameMajor(home: Home, binaries: Binaries): Promise<void> {
  const major = await clusterMajor(home)
  if (major === null || major === binaries.major) return
  throw new Error(
    `${home.data} was created by PostgreSQL ${major}, this corridor carries ${binaries.major}: ` +
      'dump it with the corridor release that created it and load the dump into a new DATA_DIR, ' +
      `or run a PostgreSQL ${major} on it and set DATABASE_URL`,
  )
}

/**
 * Creates the database's files with a new random password. They appear as `data` only when they are
 * complete, so an interrupted run leaves nothing that a later one would mistake for a database.
 */
export async function createCluster(
  home: Home,
  binaries: Binaries,
  options: { durable: boolean },
): Promise<void> {
  await removeDrafts(home.directory)
  const draft = join(home.directory, `${DRAFT}${randomBytes(6).toString('hex')}`)
  const password = join(home.directory, 'password')
  await mkdir(draft, { mode: 0o700 })
  await rm(password, { force: true })
  const secret = randomBytes(PASSWORD_BYTES).toString('base64url')
  await writeFile(password, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  const { user } = home
  if (user) for (const path of [draft, password]) await chown(path, user.uid, user.gid)
  const args = [
    ...['-D', draft, '-U', ROLE, '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-instructions', ...(options.durable ? [] : ['--no-sync'])],
  ]
  const { code, output } = await run(binaries.initdb, args, user)
  if (code !== 0) {
    await rm(draft, { recursive: true, force: true })
    throw new Error(`cannot make a database in ${home.directory}: ${output.trim()}`)
  }
  await giveToOwner(password)
  await rename(draft, home.data)
  await removeDrafts(home.directory)
}

/**
 * Removes unfinished drafts. One whose maker was killed may still be written to, so its removal may
 * fail; the next attempt will succeed.
 */
async function removeDrafts(directory: string) {
  for (const name of await readdir(directory))
    if (name.startsWith(DRAFT))
      await rm(join(directory, name), { recursive: true, force: true }).catch(() => {})
}
