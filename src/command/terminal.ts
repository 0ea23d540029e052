import type { Config } from '~/config.ts'
import { loadConfig, misspeltIn } from '~/config.ts'
import { createLog, type OwnLog } from '~/log.ts'
import { databaseAddress } from '~/outbound/database-address.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { reasonOf } from '~/store/reason.ts'
import { schemaVersion } from '~/store/schema-version.ts'
import { type Hold, interruptible } from './interruption.ts'
import { signals } from './signals.ts'

/** A failure that tells the caller what to do: one sentence on stderr, exit status 1. */
export class CommandFailure extends Error {}

export const failureLine = (error: unknown): string => `corridor: ${reasonOf(error)}`

/** Source of a command's settings and destination of its output. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
  /** Writes a line to stdout: results. */
  print(line: string): void
  /** Writes a line to stderr: everything but results. */
  say(line: string): void
  /** Asks the person at the terminal for a yes; absent without a terminal. */
  readonly isSure?: (question: string) => Promise<boolean>
}

/** The settings, with `pretty` logs if a person is watching. */
export const configOf = ({ env, isTerminal }: Terminal): Config =>
  loadConfig(isTerminal ? withDefaults(env, { LOG_FORMAT: 'pretty' }) : env)

type Env = Terminal['env']

/** The environment with values for settings that are unset or empty. */
export const withDefaults = (env: Env, values: Readonly<Record<string, string>>): Env => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, env[name]?.trim() ? env[name] : value]),
  ),
})

export function logOf(config: Config, worker?: number): OwnLog {
  const { logLevel: level, logFormat: format } = config
  return createLog({ level, format, secrets: secretsOf(config), worker })
}

/** The secrets in the settings, which readers of a log must not see. */
export function secretsOf({ databaseUrl, readUrls, feeds, ...config }: Config): string[] {
  const databases = [databaseUrl, ...readUrls].map((url) => url && databaseAddress(url)!.url)
  const passwords = [...databases, config.smtpUrl].flatMap(passwordIn)
  const texts = [
    ...passwords,
    config.databasePassword,
    config.metricsToken,
    config.authSecret,
    config.s3.secretAccessKey,
    config.s3.sessionToken,
    ...headerSecrets(config.tracesHeaders),
    ...feeds.map(({ key }) => key),
    ...Object.values(config.quoteSourcesKeys),
    ...(config.logKeys ?? []).map((key) => Buffer.from(key).toString('base64')),
  ]
  return texts.flatMap((text) => (text ? [text] : []))
}

/** The shortest header value that counts as a secret; shorter ones are common words. */
const HEADER_SECRET_LENGTH_MIN = 12

/** A header's value and its words, such as `Bearer` and the token after it. */
const headerSecrets = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(' ')])
    .filter(({ length }) => length >= HEADER_SECRET_LENGTH_MIN)

/** The password of a URL, both encoded and decoded. */
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
  else for (const line of lines) terminal.print(printable(line))
}

/** Text of files and other hosts in a form that is safe to show on a terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD')

type Work<T> = (database: Database) => Promise<T>

/** Opens the database for a command, created and migrated if needed; always closes it again. */
export const withDatabase = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  withUnmigrated(terminal, migrated(terminal, work))

/**
 * Opens an existing database for a command that reads, or changes what must exist: without a
 * database, or a schema in it, it reports where it looked and creates nothing.
 */
export const withExisting = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  opened(terminal, { mustExist: true }, async (database) => {
    if ((await schemaVersion(database.sql)) === 0)
      throw new CommandFailure(
        `there is no corridor schema in the database: ${database.where}. Set DATABASE_URL or ` +
          'DATA_DIR to those of the service, or create the schema with `corridor migrate`',
      )
    return migrated(terminal, work)(database)
  })

/** Opens the database for one command, creating it if needed, and leaves its schema as it is. */
export const withUnmigrated = <T>(terminal: Terminal, work: Work<T>): Promise<T> =>
  opened(terminal, { mustExist: false }, work)

const migrated =
  <T>(terminal: Terminal, work: Work<T>): Work<T> =>
  async (database) => {
    await watchedMigrate(terminal, database)
    return work(database)
  }

/** Migrates and returns the number of migrations; notifies a person if it takes long. */
export function watchedMigrate(terminal: Terminal, database: Database): Promise<number> {
  const say = terminal.isTerminal ? terminal.say : () => {}
  return withHeartbeat({ what: 'bringing the schema up to date', say }, () => migrate(database))
}

async function opened<T>(terminal: Terminal, { mustExist }: { mustExist: boolean }, work: Work<T>) {
  const { databaseUrl, dataDir } = configOf(terminal)
  const { say } = terminal
  for (const line of misspeltIn(terminal.env)) say(`warning: ${line}`)
  const { ended } = signals
  const opening = openDatabase({ databaseUrl, dataDir, use: 'command', mustExist, say, ended })
  return interruptible(async () => work(await opening), closing(opening))
}

/** A database to be closed once it is open, if it ever is. */
export const closing = (opening: Promise<Database>): Hold => ({
  close: async () => (await opening.catch(() => null))?.close(),
  abandon: async () => (await opening.catch(() => null))?.abandon?.(),
})
