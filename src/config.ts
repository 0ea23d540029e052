import { GUARD_RULES, type GuardRules } from '~/domain/feed/guard.ts'
import { REFERENCE_MODES } from '~/domain/feed/verdict.ts'
import { readLog } from './config/log.ts'
import { DAY_MS, HOUR_MS } from './domain/duration.ts'
import { meantBy } from './domain/naming/misspelling.ts'
import { ROLES } from './domain/quota.ts'
import { SAMPLERS } from './domain/sampling.ts'
import { type FeedName, type FeedSettings, needsKey } from './feed/feeds.ts'
import { LOG_FORMATS, LOG_LEVELS } from './log.ts'
import {
  asBackupDir,
  asCron,
  asCurrencyBound,
  asDurationMs,
  asFeedNames,
  asHeaders,
  asHost,
  asHostName,
  asHttpUrl,
  asMailFrom,
  asOrigin,
  asPlace,
  asPostgresUrl,
  asPublicUrl,
  asSecret,
  asShare,
  asShutdownDelayMs,
  asSmtpUrl,
  asSourceKeys,
  asSourceNames,
  asText,
  asTimeoutMs,
  asToken,
  asYears,
  emptyOr,
  integerBetween,
  listOf,
  MOVE_PERCENT_MAX,
  numberBetween,
  offOr,
  oneOf,
  percentUpTo,
  type Reader,
} from './setting.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads every setting once. Empty counts as not set.
 *
 * Throws one Error whose message names every setting that cannot be read, with what it accepts.
 */
export function loadConfig(env: Env): Config {
  const problems: string[] = []
  const setting = <T>(name: string, fallback: T, read: Reader<T>): T => {
    const text = env[name]?.trim()
    if (!text) return fallback
    try {
      return read(text)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
      return fallback
    }
  }
  const config = configOf(setting, problems)
  problems.push(...lacksOf(config))
  if (problems.length > 0) throw new Error(`wrong settings: ${problems.join('; ')}`)
  return config
}

/** The shortest name that counts as misspelt: shorter ones are near to those of other programs. */
const NEAR_LENGTH_MIN = 8
/** The shortest name in which two letters may be wrong. */
const LONG_LENGTH_MIN = 12

/**
 * A sentence on each variable whose name is nearly that of a setting that is not set, and begins
 * with the same letter: `OAUTH_SECRET` is of another program. It never repeats a value.
 */
export function misspeltIn(env: Env): string[] {
  const settings: string[] = []
  configOf((name, fallback) => {
    settings.push(name)
    return fallback
  }, [])
  const lacking = settings.filter((name) => name.length >= NEAR_LENGTH_MIN && !env[name]?.trim())
  const byFolded = new Map(lacking.map((name) => [name.toLowerCase(), name]))
  return Object.keys(env).flatMap((name) => {
    if (settings.includes(name) || name.length < NEAR_LENGTH_MIN) return []
    const folded = name.toLowerCase()
    const near = [...byFolded.keys()].filter(([first]) => first === folded[0])
    const wrongMax = name.length < LONG_LENGTH_MIN ? 1 : 2
    const isSame = near.includes(folded)
    const meant = byFolded.get(isSame ? folded : (meantBy(folded, near, wrongMax) ?? ''))
    return meant ? [`${name} is not a setting: did you mean ${meant}?`] : []
  })
}

type Setting = <T>(name: string, fallback: T, read: Reader<T>) => T

/** Every setting, parsed. Durations in milliseconds; null means "off" or "not set". */
export type Config = Readonly<ReturnType<typeof configOf>>

const configOf = (setting: Setting, problems: string[]) => ({
  ...readServer(setting),
  ...readDatabase(setting),
  feeds: readFeeds(setting, problems),
  feedCron: setting('REFERENCE_FEED_CRON', '7 * * * *', asCron),
  feedMode: setting('REFERENCE_MODE', 'consensus', oneOf(REFERENCE_MODES)),
  feedRules: readFeedRules(setting),
  ...readSources(setting),
  ...readAges(setting),
  ...readCallers(setting),
  ...readTools(setting),
  ...readLimits(setting),
  ...readPeople(setting),
  ...readBackups(setting),
  ...readTraces(setting),
  ...readLog(setting),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
  logFormat: setting('LOG_FORMAT', 'json', oneOf(LOG_FORMATS)),
  /** The commit that the container was built from, for metrics and the log. */
  revision: setting('REVISION', 'unknown', asText),
})

const WORKERS_MAX = 16
const STREAMS_LIMIT = 1_000_000
const QUOTA_MAX = 1_000_000_000
const PROXIES_MAX = 10
const CONNECTIONS_LIMIT = 100
const WAITING_LIMIT = 10_000

const readServer = (setting: Setting) => ({
  host: setting('HOST', '127.0.0.1', asHost),
  port: setting('PORT', 3000, integerBetween(0, 65_535)),
  /** The time without a byte after which a connection is closed. */
  idleTimeoutMs: setting('HTTP_IDLE_TIMEOUT', 30_000, asTimeoutMs),
  /** The time that the service keeps serving after it has announced its stop; null for none. */
  shutdownDelayMs: setting('SHUTDOWN_DELAY', 1000, offOr(asShutdownDelayMs)),
  /** The maximum number of streams that a process may have open. */
  streamsMax: setting('STREAMS_MAX', 10_000, integerBetween(0, STREAMS_LIMIT)),
  /** The number of processes that serve the port. */
  workers: setting('WORKERS', 1, integerBetween(1, WORKERS_MAX)),
})

const readDatabase = (setting: Setting) => ({
  databaseUrl: setting('DATABASE_URL', null, asPostgresUrl),
  /** The password that the driver uses if the URL has none. */
  databasePassword: setting('PGPASSWORD', null, asText),
  /** Streaming replicas of that database, for requests about the past. */
  readUrls: setting('DATABASE_READ_URLS', [], listOf(asPostgresUrl)),
  readLagMaxMs: setting('READ_LAG_MAX', 5000, asDurationMs),
  dataDir: setting('DATA_DIR', '.data', asText),
})

const readAges = (setting: Setting) => ({
  midMaxAgeMs: setting('MID_MAX_AGE', 72 * HOUR_MS, asDurationMs),
  quoteMaxAgeMs: setting('QUOTE_MAX_AGE', null, offOr(asDurationMs)),
  staleAfterMs: setting('QUOTE_STALE_AFTER', 7 * DAY_MS, offOr(asDurationMs)),
  /** The percentage above its day's mid from which an executable rate is suspect; null for none. */
  quoteSuspectPct: setting('QUOTE_SUSPECT_PCT', 10, offOr(numberBetween(0, 1000))),
  /** The factor off its day's mid from which an executable rate is refused; null for none. */
  quoteImplausibleTimes: setting('QUOTE_IMPLAUSIBLE_TIMES', 3, offOr(numberBetween(1, 1000))),
  /** The age in years from which observations are deleted; null keeps them. */
  retentionYears: setting('RETENTION_YEARS', null, offOr(asYears)),
})

const readCallers = (setting: Setting) => ({
  quotas: {
    free: setting('QUOTA_FREE', 50, integerBetween(0, QUOTA_MAX)),
    pro: setting('QUOTA_PRO', 250, integerBetween(0, QUOTA_MAX)),
    enterprise: setting('QUOTA_ENTERPRISE', 1000, integerBetween(0, QUOTA_MAX)),
  },
  corsOrigins: setting('CORS_ORIGINS', [], listOf(asOrigin)),
  publicUrl: setting('PUBLIC_URL', null, asPublicUrl),
  /** The private places that webhooks may be sent to, and over plain http. */
  webhookAllow: setting('WEBHOOK_ALLOW', [], listOf(asPlace)),
})

const readTools = (setting: Setting) => ({
  mcpAllowedHosts: setting('MCP_ALLOWED_HOSTS', [], listOf(asHostName)),
  mcpAllowedOrigins: setting('MCP_ALLOWED_ORIGINS', [], listOf(asOrigin)),
})

const readLimits = (setting: Setting) => ({
  trustedProxies: setting('TRUST_PROXY', 0, integerBetween(0, PROXIES_MAX)),
  boardRequestsPerMinute: setting('BOARD_REQUESTS_PER_MINUTE', 60, integerBetween(1, 1_000_000)),
  authFailuresPerMinute: setting('AUTH_FAILURES_PER_MINUTE', 60, integerBetween(1, 1_000_000)),
  /** Limits of concurrent and of waiting database work, by kind. */
  work: {
    historyMax: setting('HISTORY_WORK_MAX', 4, integerBetween(1, CONNECTIONS_LIMIT)),
    ingestMax: setting('INGEST_WORK_MAX', 6, integerBetween(1, CONNECTIONS_LIMIT)),
    waitingMax: setting('WORK_WAITING_MAX', 512, integerBetween(0, WAITING_LIMIT)),
  },
  /** The token that a reader of the metrics has to show; null lets anybody read. */
  metricsToken: setting('METRICS_TOKEN', null, asToken),
})

const BACKUPS_MAX = 10_000

const readBackups = (setting: Setting) => ({
  /** The schedule of automatic backups; null for none. */
  backupCron: setting('BACKUP_CRON', null, asCron),
  /** The folder or the bucket that they go to. */
  backupDir: setting('BACKUP_DIR', null, asBackupDir),
  /** Number of backups to retain; null for all. */
  backupKeep: setting('BACKUP_KEEP', null, offOr(integerBetween(1, BACKUPS_MAX))),
  /** Access to a bucket, in the names that programs for S3 share. */
  s3: {
    accessKeyId: setting('AWS_ACCESS_KEY_ID', null, asText),
    secretAccessKey: setting('AWS_SECRET_ACCESS_KEY', null, asText),
    sessionToken: setting('AWS_SESSION_TOKEN', null, asText),
    region: setting('AWS_REGION', null, asText),
    endpoint: setting('AWS_ENDPOINT_URL', null, asHttpUrl),
  },
})

const readPeople = (setting: Setting) => ({
  /** The secret that signs sessions and links; null for one kept in the database. */
  authSecret: setting('AUTH_SECRET', null, asSecret),
  /** The server that accepts email; null for links in the log. */
  smtpUrl: setting('SMTP_URL', null, asSmtpUrl),
  mailFrom: setting('MAIL_FROM', null, asMailFrom),
  secondFactorRoles: setting('SECOND_FACTOR_ROLES', [], listOf(oneOf(ROLES))),
  /** Ends a session after so long without use. */
  sessionIdleMs: setting('SESSION_IDLE_MAX', DAY_MS, asDurationMs),
})

const readTraces = (setting: Setting) => ({
  /** Destination of traces; null for none. */
  tracesUrl: setting('OTEL_EXPORTER_OTLP_ENDPOINT', null, asHttpUrl),
  tracesHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', {}, asHeaders),
  tracesService: setting('OTEL_SERVICE_NAME', 'corridor', asText),
  tracesSampling: {
    sampler: setting('OTEL_TRACES_SAMPLER', 'parentbased_always_on', oneOf(SAMPLERS)),
    share: setting('OTEL_TRACES_SAMPLER_ARG', 1, asShare),
  },
})

/** Feeds of independent publishers that ask for no key. */
const FREE_FEEDS: readonly FeedName[] = ['currency-api', 'frankfurter', 'ecb']

function readFeeds(setting: Setting, problems: string[]): FeedSettings[] {
  const names = setting('REFERENCE_FEED', FREE_FEEDS, asFeedNames)
  const urls = setting('REFERENCE_FEED_URL', [], listOf(emptyOr(asHttpUrl)))
  const keys = setting('REFERENCE_FEED_KEY', [], listOf(asText))
  const lists = { REFERENCE_FEED_URL: urls, REFERENCE_FEED_KEY: keys }
  for (const [name, list] of Object.entries(lists))
    if (names.length > 0 && list.length > names.length)
      problems.push(`${name} has more entries than REFERENCE_FEED has feeds`)
  return names.map((name, i) => ({ name, url: urls[i] || null, key: keys[i] || null }))
}

const readSources = (setting: Setting) => ({
  /** The banks whose official rates are fetched. */
  quoteSources: setting('QUOTE_SOURCES', [], asSourceNames),
  /** The schedule for all of them; null for each when it publishes. */
  quoteSourcesCron: setting('QUOTE_SOURCES_CRON', null, asCron),
  /** A base URL used instead of all their hosts; null for none. */
  quoteSourcesVia: setting('QUOTE_SOURCES_VIA', null, asHttpUrl),
  /** The keys of those that give out some, by name. */
  quoteSourcesKeys: setting('QUOTE_SOURCES_KEYS', {}, asSourceKeys),
  /** The folder of the connectors; null for `connectors` in DATA_DIR. */
  connectors: setting('CONNECTORS', null, asText),
  /** The private places that connectors may ask, and over plain http. */
  connectorsAllow: setting('CONNECTORS_ALLOW', [], listOf(asPlace)),
})

function readFeedRules(setting: Setting): GuardRules {
  const { knownShareMin, moveMax } = GUARD_RULES
  const bounds = setting('REFERENCE_MOVE_MAX_OF', [], listOf(asCurrencyBound))
  return {
    ...GUARD_RULES,
    knownShareMin: setting('REFERENCE_MIN_SHARE', knownShareMin, percentUpTo(100)),
    moveMax: setting('REFERENCE_MOVE_MAX', moveMax, percentUpTo(MOVE_PERCENT_MAX)),
    moveMaxOf: Object.fromEntries(bounds),
  }
}

/** Returns the missing settings that others need. */
function lacksOf(config: Config): string[] {
  const { feeds, smtpUrl, mailFrom, publicUrl, backupCron, backupDir, s3 } = config
  const lacks = feeds
    .filter(({ name, key }) => needsKey(name) && key === null)
    .map(({ name }) => `REFERENCE_FEED_KEY must hold a key for ${name}, in its place in the list`)
  if (smtpUrl && !(mailFrom && publicUrl))
    lacks.push('SMTP_URL must come with MAIL_FROM, and with PUBLIC_URL for the links')
  if ((backupCron === null) !== (backupDir === null))
    lacks.push('BACKUP_CRON and BACKUP_DIR must come together')
  if (backupDir?.startsWith('s3:') && !(s3.accessKeyId && s3.secretAccessKey))
    lacks.push(
      'BACKUP_DIR names a bucket, so AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set',
    )
  return lacks
}
