import type { Config } from '~/config.ts'
import { loadConfig } from '~/config.ts'
import { createLog, type OwnLog } from '~/log.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { reasonOf } from '~/store/reason.ts'
import { schemaVersion } from '~/store/schema-version.ts'
import { type Hold, interruptible } from './interruption.ts'
import { signals } from './signals.ts'

/** What a command asks of the person who called it: one sentence on stderr, exit status 1. */
export class CommandFailure extends Error {}

/** What a command that failed says at its end. */
export const failureLine = (error: unknown): string => `corridor: ${reasonOf(error)}`

/** Where a command reads its settings and writes what it has to say. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
  /** A line on stdout: results. */
  print(line: string): void
  /** A line on stderr: everything that is no result. */
  say(line: string): void
}

/** The settings, with `pretty` logs where a person is watching. */
export const configOf = ({ env, isTerminal }: Terminal): Config =>
  loadConfig(isTerminal ? withDefault(env, 'LOG_FORMAT', 'pretty') : env)

type Env = Terminal['env']

/** The environment with a value for a setting that it does not set: an empty one is none. */
export const withDefault = (env: Env, name: string, value: string): Env => ({
  ...env,
  [name]: env[name]?.trim() ? env[name] : value,
})

export function logOf(config: Config, worker?: number): OwnLog {
  const { logLevel: level, logFormat: format } = config
  return createLog({ level, format, secrets: secretsOf(config), worker })
}

/** What the settings hold that must not be told to who reads a log. */
export function secretsOf({ databaseUrl, readUrls, feeds, ...config }: Config): string[] {
  const passwords = [databaseUrl, ...readUrls, config.smtpUrl].flatMap(passwordIn)
  const texts = [
    ...passwords,
    config.databasePassword,
    config.metricsToken,
    config.authSecret,
    ...headerSecrets(config.tracesHeaders),
    ...feeds.map(({ key }) => key),
  ]
  return texts.flatMap((text) => (text ? [text] : []))
}

/** What is shorter is the name of a tenant and the like: words that lines are made of. */
const HEADER_SECRET_LENGTH_MIN = 12

/** A value and its words: `Bearer`, and the token behind it. */
const headerSecrets = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(' ')])
    .filter(({ length }) => length >= HEADER_SECRET_LENGTH_MIN)

/** As it is written in a URL, and as it is meant. */
function passwordIn(url: string | null): (string | null)[] {
  const password = url === null ? '' : new URL(url).password
  return [password, new URLSearchParams(`_=${password.replaceAll('+', '%2B')}`).get('_')]
}

/**
 * Prints a command's result: with `isJson` exactly one JSON document, else the lines for a person.
 */
export function printResult(
  terminal: Terminal,
  { isJson, result, lines }: { isJson: boolean; result: unknown; lines: readonly string[] },
): void {
  if (isJson) terminal.print(JSON.stringify(result))
  else for (const line of lines) terminal.print(line)
}

type Work<T> = (database: Database) => Promise<T>

/**
 * Opens the database for one command, or makes it, brings its schema up to date, and closes it
 * whatever happens, a signal that ends the command included.
 */
export const withDatabase = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  withUnmigrated(terminal, migrated(terminal, work))

/**
 * Opens the database for a command that reads, or changes what must be there: where there is none,
 * or one without a schema, it says where it looked and makes nothing.
 */
export const withExisting = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  opened(terminal, { mustExist: true }, async (database) => {
    if ((await schemaVersion(database.sql)) === 0)
      throw new CommandFailure(
        `there is nothing of corridor in the database: ${database.where}. Set DATABASE_URL or ` +
          'DATA_DIR to what the service has, or begin here with `corridor migrate`',
      )
    return migrated(terminal, work)(database)
  })

/** Opens the database for one command, or makes it, and leaves its schema as it is. */
export const withUnmigrated = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  opened(terminal, { mustExist: false }, work)

const migrated =
  <T>(terminal: Terminal, work: Work<T>): Work<T> =>
  async (database) => {
    await watchedMigrate(terminal, database)
    return work(database)
  }

/** How many migrations it took; a person is told while it takes long. */
export function watchedMigrate(terminal: Terminal, database: Database): Promise<number> {
  const say = terminal.isTerminal ? terminal.say : () => {}
  return withHeartbeat({ what: 'bringing the schema up to date', say }, () => migrate(database))
}

async function opened<T>(terminal: Terminal, { mustExist }: { mustExist: boolean }, work: Work<T>) {
  const { databaseUrl, dataDir } = configOf(terminal)
  const { say } = terminal
  const { ended } = signals
  const opening = openDatabase({ databaseUrl, dataDir, use: 'command', mustExist, say, ended })
  return interruptible(async () => work(await opening), closing(opening))
}

/** A database to be closed once it is open, if it ever is. */
export const closing = (opening: Promise<Database>): Hold => ({
  close: async () => (await opening.catch(() => null))?.close(),
  abandon: async () => (await opening.catch(() => null))?.abandon?.(),
})
