import { createHash } from 'node:crypto'
import { chmod, chown, lchown, lstat, mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ifThere } from './if-there.ts'
import { closedTo, type SystemUser, type UserSystem, userForRoot, userName } from './user.ts'

/** Directory of the database's files for root when its user cannot enter DATA_DIR. */
export const ELSEWHERE = '/var/lib/corridor'

/** The folder of one embedded database: locks, password, log, and the cluster in `data`. */
export type Home = {
  /** DATA_DIR as an absolute path, for messages. */
  dataDir: string
  directory: string
  data: string
  /** The user that the database runs as; null when it runs as ourselves. */
  user: SystemUser | null
}

export type HomeOptions = {
  dataDir: string
  /** Receives messages for an operator, one sentence at a time. */
  say: (line: string) => void
  /** Says whether to fail if there is no database yet, rather than create one. */
  mustExist?: boolean | undefined
  /** Replacements for tests. */
  system?: UserSystem | undefined
  elsewhere?: string | undefined
}

/**
 * Finds or creates the home of DATA_DIR's database: the `postgres` folder in it.
 *
 * As root the home lies elsewhere, under a name derived from DATA_DIR, if the database's user
 * cannot enter DATA_DIR; `say` then reports the path. Existing data keeps its place and its owner.
 * Throws with advice if the folder cannot be created, or is missing and must not be created.
 */
export async function embeddedHome(options: HomeOptions): Promise<Home> {
  try {
    return await homeOf(options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(
      `a database cannot be made in ${options.dataDir} (${code}): ` +
        'set DATA_DIR to a directory, or to a path where one can be made',
      { cause: error },
    )
  }
}

async function homeOf(options: HomeOptions): Promise<Home> {
  const dataDir = await realPathOf(resolve(options.dataDir))
  const near = join(dataDir, 'postgres')
  if (process.getuid?.() !== 0) {
    if (options.mustExist && !(await dataOwner(near, options))) throw noDatabase([near])
    return homeOfMine(dataDir, near)
  }
  const nearOwner = await dataOwner(near, options)
  if (nearOwner) return homeAt({ dataDir, directory: near, owner: nearOwner }, options)
  const far = join(options.elsewhere ?? ELSEWHERE, farName(dataDir), 'postgres')
  const owner = await dataOwner(far, options)
  if (options.mustExist && !owner) throw noDatabase([near, far])
  const user = lenderFor(owner, options)
  const closed = await closedTo(user, await existing(dataDir))
  if (!owner && !closed) return homeAt({ dataDir, directory: near, owner: user }, options)
  const why = closed ? `user ${user.name} cannot enter ${closed}` : 'as it did before'
  options.say(`the database of ${dataDir} lives in ${dirname(far)} (${why})`)
  return homeAt({ dataDir, directory: far, owner: owner ?? user }, options)
}

const noDatabase = (looked: readonly string[]): Error =>
  new Error(
    `there is no database: DATABASE_URL is not set, and there is none in ${looked.join(' or ')}. ` +
      'Set DATABASE_URL or DATA_DIR to those of the service, or create a new database with ' +
      '`corridor migrate` or `corridor serve`',
  )

async function homeOfMine(dataDir: string, directory: string): Promise<Home> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const uid = (await lstat(directory)).uid
    if (uid !== process.getuid?.()) throw Object.assign(new Error(), { code: 'EACCES' })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error
    throw new Error(
      `${directory} cannot be used by this user (${code}): ` +
        'run corridor as the user who owns it, or set DATA_DIR to a directory of yours',
    )
  }
  return { dataDir, directory, data: join(directory, 'data'), user: null }
}

type Site = { dataDir: string; directory: string; owner: SystemUser }

async function homeAt({ dataDir, directory, owner }: Site, options: HomeOptions): Promise<Home> {
  const first = await mkdir(directory, { recursive: true })
  for (let path = directory; first && path.length >= first.length; path = dirname(path))
    await chmod(path, path === directory ? 0o711 : 0o755)
  const user = lenderFor(owner, options)
  const closed = await closedTo(user, directory)
  if (closed)
    throw new Error(
      `the database in ${directory} runs as user ${user.name}, who cannot enter ${closed}: ` +
        `let it in (chmod o+x ${closed}), or move DATA_DIR to where it can`,
    )
  const data = join(directory, 'data')
  if (owner.uid === 0) await giveTree(data, user)
  return { dataDir, directory, data, user }
}

/** The user to run as. Data keeps its owner, unless that is root, which copied it here. */
const lenderFor = (owner: SystemUser | null, { system }: HomeOptions): SystemUser =>
  owner && owner.uid !== 0 ? owner : userForRoot(system)

async function giveTree(path: string, { uid, gid }: SystemUser) {
  await lchown(path, uid, gid)
  await chmod(path, 0o700)
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    await lchown(join(entry.parentPath, entry.name), uid, gid)
}

/** The owner of a cluster that exists, null when there is none. */
async function dataOwner(directory: string, { system }: HomeOptions): Promise<SystemUser | null> {
  const data = await ifThere(lstat(join(directory, 'data')))
  return data && { name: userName(data.uid, system), uid: data.uid, gid: data.gid }
}

const farName = (dataDir: string) => {
  const name = basename(dataDir).replace(/[^A-Za-z0-9]/g, '') || 'data'
  return `${name}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
}

/** `path` with its links resolved, even if its end does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const base = await existing(path)
  return join(await realpath(base), path.slice(base.length))
}

const existing = async (path: string): Promise<string> =>
  (await ifThere(lstat(path))) ? path : existing(dirname(path))

/** Gives a file of root's to the owner of the home that it lies in. */
export async function giveToOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await lstat(dirname(path))
  await chown(path, uid, gid)
}
