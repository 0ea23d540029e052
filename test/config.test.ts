import { describe, expect, test } from 'bun:test'
import { loadConfig, misspeltIn } from '~/config.ts'
import { GUARD_RULES } from '~/domain/feed/guard.ts'
import { verifierKey } from '~/evidence/note.ts'
import { COSIGNATURE_ED25519 } from '~/evidence/note-text.ts'
import { FEED_NAMES, needsKey } from '~/feed/feeds.ts'

const HOUR_MS = 3_600_000

const WITNESS_KEY = {
  name: 'witness.example/w1',
  type: COSIGNATURE_ED25519,
  publicKey: Buffer.alloc(32, 3),
}

const messageOf = (env: Record<string, string>): string => {
  try {
    loadConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return 'no problem'
}

describe('misspeltIn', () => {
  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URLS', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['QUOTE_STALE_AFTR', 'QUOTE_STALE_AFTER'],
    ['DATA_DIRS', 'DATA_DIR'],
    ['QOUTE_SUORCES', 'QUOTE_SOURCES'],
    ['OTEL_EXPORTER_OTLP_ENDPONT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%s gets the hint %s, without its value', (name, meant) => {
    expect(misspeltIn({ [name]: 'se-cret', [meant]: ' ' })).toEqual([
      `${name} is not a setting: did you mean ${meant}?`,
    ])
    expect(misspeltIn({ [name]: 'se-cret', [meant]: 'set' })).toEqual([])
  })

  test('never names the variables of other programs, nor our own', () => {
    const others = `
      PATH HOME USER SHELL LANG TERM PWD TZ HOSTNAME NODE_ENV NODE_OPTIONS NO_COLOR POSTS PORTS
      EMAIL_FROM OAUTH_SECRET HTTP_URL HTTP_PROXY HTTPS_PROXY NO_PROXY XDG_DATA_DIRS XDG_DATA_HOME
      PGHOST PGPORT PGUSER PGDATABASE PGPASSFILE PGSERVICE PGSSLMODE PGAPPNAME PGTZ PGOPTIONS
      POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB KUBERNETES_PORT KUBERNETES_SERVICE_HOST
      CORRIDOR_KEY CORRIDOR_PORT CORRIDOR_SERVICE_HOST DATABASE_HOST DATABASE_NAME DATABASE_PORT
      REDIS_URL SENTRY_DSN SECRET_KEY LOG_FILE LOG_DIR BACKUP_ID METRICS_PORT PUBLIC_HOST
      AWS_PROFILE AWS_DEFAULT_REGION AWS_ENDPOINT_URL_S3 AWS_ROLE_ARN AWS_SESSION_NAME
      OTEL_LOG_LEVEL OTEL_RESOURCE_ATTRIBUTES OTEL_METRICS_EXPORTER OTEL_EXPORTER_OTLP_PROTOCOL
      OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT CITUS_URL WORKER SMTP_HOST`
    const env = Object.fromEntries(others.split(/\s+/).map((name) => [name, 'x']))
    expect(misspeltIn(env)).toEqual([])
    expect(misspeltIn({ HOST: 'x', BACKUP_CRON: 'x', WORKERS: '2' })).toEqual([])
  })
})

describe('loadConfig', () => {
  test('everything has its default without any setting', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      idleTimeoutMs: 30_000,
      shutdownDelayMs: 1000,
      streamsMax: 10_000,
      workers: 1,
      databaseUrl: null,
      databasePassword: null,
      readUrls: [],
      readLagMaxMs: 5000,
      dataDir: '.data',
      feeds: [
        { name: 'currency-api', url: null, key: null },
        { name: 'frankfurter', url: null, key: null },
        { name: 'ecb', url: null, key: null },
      ],
      feedCron: '7 * * * *',
      feedMode: 'consensus',
      feedRules: GUARD_RULES,
      quoteSources: [],
      quoteSourcesCron: null,
      quoteSourcesVia: null,
      quoteSourcesKeys: {},
      connectors: null,
      connectorsAllow: [],
      midMaxAgeMs: 72 * HOUR_MS,
      quoteMaxAgeMs: null,
      staleAfterMs: 168 * HOUR_MS,
      quoteSuspectPct: 10,
      quoteImplausibleTimes: 3,
      retentionYears: null,
      backupCron: null,
      backupDir: null,
      backupKeep: null,
      s3: {
        accessKeyId: null,
        secretAccessKey: null,
        sessionToken: null,
        region: null,
        endpoint: null,
      },
      quotas: { free: 50, pro: 250, enterprise: 1000 },
      corsOrigins: [],
      publicUrl: null,
      webhookAllow: [],
      mcpAllowedHosts: [],
      mcpAllowedOrigins: [],
      trustedProxies: 0,
      boardRequestsPerMinute: 60,
      authFailuresPerMinute: 60,
      work: { historyMax: 4, ingestMax: 6, waitingMax: 512 },
      metricsToken: null,
      authSecret: null,
      smtpUrl: null,
      mailFrom: null,
      secondFactorRoles: [],
      sessionIdleMs: 24 * 3_600_000,
      tracesUrl: null,
      tracesHeaders: {},
      tracesService: 'corridor',
      tracesSampling: { sampler: 'parentbased_always_on', share: 1 },
      sealEveryMs: 60_000,
      logKeys: null,
      witnesses: [],
      logLevel: 'info',
      logFormat: 'json',
      revision: 'unknown',
    })
  })

  test('every setting is read', () => {
    expect(
      loadConfig({
        HOST: '0.0.0.0',
        PORT: '8080',
        WORKERS: '4',
        HTTP_IDLE_TIMEOUT: '20s',
        SHUTDOWN_DELAY: 'off',
        DATABASE_URL: 'postgres://user:secret@db:5432/corridor',
        DATABASE_READ_URLS: 'postgres://user@one/corridor, postgres://user@two/corridor',
        READ_LAG_MAX: '2s',
        DATA_DIR: '/var/lib/corridor',
        PGPASSWORD: 'secret/too',
        REFERENCE_FEED: 'openexchangerates,ecb',
        REFERENCE_FEED_URL: 'https://a.example/x/,http://b.example',
        REFERENCE_FEED_KEY: 'k1,k2',
        REFERENCE_FEED_CRON: '*/5 * * * *',
        REFERENCE_MODE: 'order',
        REFERENCE_MIN_SHARE: '80%',
        REFERENCE_MOVE_MAX: '12.5%',
        REFERENCE_MOVE_MAX_OF: 'zwg=60%, AED = 1%',
        MID_MAX_AGE: '36h',
        QUOTE_MAX_AGE: '7d',
        QUOTE_STALE_AFTER: '36h',
        QUOTE_SUSPECT_PCT: '12.5',
        QUOTE_IMPLAUSIBLE_TIMES: 'off',
        RETENTION_YEARS: '5',
        BACKUP_CRON: '0 3 * * *',
        BACKUP_DIR: 's3://backups/corridor',
        BACKUP_KEEP: '14',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_SESSION_TOKEN: 'session',
        AWS_REGION: 'eu-west-1',
        AWS_ENDPOINT_URL: 'http://minio:9000/',
        QUOTA_FREE: '1',
        QUOTA_PRO: '2',
        QUOTA_ENTERPRISE: '3',
        CORS_ORIGINS: 'https://a.example, http://localhost:5173',
        PUBLIC_URL: 'https://rates.example/',
        WEBHOOK_ALLOW: 'hooks.internal, 10.0.0.0/8, ::1',
        MCP_ALLOWED_HOSTS: 'API.example, [::2]',
        MCP_ALLOWED_ORIGINS: 'https://agents.example',
        TRUST_PROXY: '2',
        BOARD_REQUESTS_PER_MINUTE: '7',
        AUTH_FAILURES_PER_MINUTE: '8',
        HISTORY_WORK_MAX: '1',
        INGEST_WORK_MAX: '2',
        WORK_WAITING_MAX: '0',
        STREAMS_MAX: '500',
        QUOTE_SOURCES: 'cbk, bam, cbk',
        QUOTE_SOURCES_CRON: '0 */6 * * *',
        QUOTE_SOURCES_VIA: 'http://replay:8080/banks/',
        QUOTE_SOURCES_KEYS: 'bam=k=3',
        METRICS_TOKEN: 'sixteen-or-more!',
        AUTH_SECRET: 'thirty-two-characters-and-more-0',
        SMTP_URL: 'smtps://us:pass@mail.example:465',
        MAIL_FROM: 'Corridor <corridor@example.org>',
        SECOND_FACTOR_ROLES: 'treasury, admin',
        SESSION_IDLE_MAX: '30m',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=a=b',
        OTEL_SERVICE_NAME: 'prices',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        LOG_SEAL_EVERY: '10s',
        LOG_KEY: [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')).join(', '),
        LOG_WITNESS: `${verifierKey(WITNESS_KEY)} https://witness.example/`,
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'pretty',
        REVISION: '2c53161',
      }),
    ).toEqual({
      host: '0.0.0.0',
      port: 8080,
      streamsMax: 500,
      workers: 4,
      idleTimeoutMs: 20_000,
      shutdownDelayMs: null,
      databaseUrl: 'postgres://user:secret@db:5432/corridor',
      readUrls: ['postgres://user@one/corridor', 'postgres://user@two/corridor'],
      readLagMaxMs: 2000,
      databasePassword: 'secret/too',
      dataDir: '/var/lib/corridor',
      feeds: [
        { name: 'openexchangerates', url: 'https://a.example/x', key: 'k1' },
        { name: 'ecb', url: 'http://b.example', key: 'k2' },
      ],
      feedCron: '*/5 * * * *',
      feedMode: 'order',
      feedRules: {
        ...GUARD_RULES,
        knownShareMin: 0.8,
        moveMax: 0.125,
        moveMaxOf: { ZWG: 0.6, AED: 0.01 },
      },
      quoteSources: ['cbk', 'bam'],
      quoteSourcesCron: '0 */6 * * *',
      quoteSourcesVia: 'http://replay:8080/banks',
      quoteSourcesKeys: { bam: 'k=3' },
      connectors: null,
      connectorsAllow: [],
      midMaxAgeMs: 36 * HOUR_MS,
      quoteMaxAgeMs: 168 * HOUR_MS,
      staleAfterMs: 36 * HOUR_MS,
      quoteSuspectPct: 12.5,
      quoteImplausibleTimes: null,
      retentionYears: 5,
      backupCron: '0 3 * * *',
      backupDir: 's3://backups/corridor',
      backupKeep: 14,
      s3: {
        accessKeyId: 'id',
        secretAccessKey: 'secret',
        sessionToken: 'session',
        region: 'eu-west-1',
        endpoint: 'http://minio:9000',
      },
      quotas: { free: 1, pro: 2, enterprise: 3 },
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      publicUrl: 'https://rates.example',
      webhookAllow: ['hooks.internal', '10.0.0.0/8', '::1'],
      mcpAllowedHosts: ['api.example', '[::2]'],
      mcpAllowedOrigins: ['https://agents.example'],
      trustedProxies: 2,
      boardRequestsPerMinute: 7,
      authFailuresPerMinute: 8,
      work: { historyMax: 1, ingestMax: 2, waitingMax: 0 },
      metricsToken: 'sixteen-or-more!',
      authSecret: 'thirty-two-characters-and-more-0',
      smtpUrl: 'smtps://us:pass@mail.example:465',
      mailFrom: 'Corridor <corridor@example.org>',
      secondFactorRoles: ['treasury', 'admin'],
      sessionIdleMs: 1_800_000,
      tracesUrl: 'http://collector:4318',
      tracesHeaders: { authorization: 'Bearer abc', 'x-tenant': 'a=b' },
      tracesService: 'prices',
      tracesSampling: { sampler: 'parentbased_traceidratio', share: 0.25 },
      sealEveryMs: 10_000,
      logKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
      witnesses: [{ key: WITNESS_KEY, url: 'https://witness.example/' }],
      logLevel: 'debug',
      logFormat: 'pretty',
      revision: '2c53161',
    })
  })

  test('an empty setting, and one of spaces, counts as not set', () => {
    const names = ['HOST', 'PORT', 'DATABASE_URL', 'REFERENCE_FEED', 'MID_MAX_AGE', 'LOG_LEVEL']
    for (const blank of ['', '  ', '\n'])
      expect(loadConfig(Object.fromEntries(names.map((name) => [name, blank])))).toEqual(
        loadConfig({}),
      )
  })

  test('spaces around a value do not count, and unknown settings are ignored', () => {
    expect(loadConfig({ PORT: ' 80\n', NODE_ENV: 'x', PORTS: 'x' }).port).toBe(80)
  })

  test('a wrong value is reported with the name of the setting and its valid values', () => {
    const wrong: [name: string, value: string, takes: string][] = [
      ['PORT', '65536', 'whole number from 0 to 65535'],
      ['PORT', '-1', 'whole number'],
      ['PORT', '80.5', 'whole number'],
      ['PORT', '0x50', 'whole number'],
      ['PORT', '1e3', 'whole number'],
      ['DATABASE_URL', 'mysql://db/x', 'postgres://'],
      ['DATABASE_URL', 'db:5432', 'postgres://'],
      ['DATABASE_URL', 'postgres://db:x/corridor', 'postgres://'],
      ['DATABASE_URL', 'postgres:///corridor', '?host=/run/postgresql'],
      ['DATABASE_URL', 'postgresql://user:pass@/corridor?sslmode=prefer', 'name a host'],
      ['DATABASE_URL', 'postgres://user@:5432/corridor', 'name a host'],
      ['DATABASE_URL', 'postgres:///corridor?host=', 'name a host'],
      ['REFERENCE_FEED', 'bank', 'one of open-er-api'],
      ['REFERENCE_FEED', 'ecb,', 'one of open-er-api'],
      ['REFERENCE_FEED', 'none,ecb', 'one of open-er-api'],
      ['REFERENCE_FEED_URL', 'ftp://a.example', 'http://'],
      ['REFERENCE_FEED_URL', 'https://a.example,nowhere', 'http://'],
      ['REFERENCE_FEED_CRON', 'hourly', 'cron pattern'],
      ['REFERENCE_FEED_CRON', '60 * * * *', 'cron pattern'],
      ['REFERENCE_FEED_CRON', '2036-01-01T00:00:00', 'cron pattern'],
      ['REFERENCE_MIN_SHARE', '0.5', 'percentage up to 100%'],
      ['REFERENCE_MIN_SHARE', '101%', 'percentage up to 100%'],
      ['REFERENCE_MOVE_MAX', '0%', 'percentage up to 1000%'],
      ['REFERENCE_MOVE_MAX', '20', 'percentage'],
      ['REFERENCE_MOVE_MAX_OF', '60%', 'ZWG=60%'],
      ['REFERENCE_MOVE_MAX_OF', 'ZWG=', 'percentage'],
      ['REFERENCE_MOVE_MAX_OF', 'ZWG=60%,', 'ZWG=60%'],
      ['MID_MAX_AGE', 'off', 'duration'],
      ['QUOTE_MAX_AGE', 'on', 'duration'],
      ['QUOTE_STALE_AFTER', '0d', 'duration'],
      ['QUOTE_SUSPECT_PCT', '10%', 'a number from 0 to 1000, or off'],
      ['QUOTE_IMPLAUSIBLE_TIMES', '0.5', 'a number from 1 to 1000, or off'],
      ['QUOTA_FREE', '-1', 'whole number'],
      ['QUOTA_PRO', '1000000001', 'whole number from 0 to 1000000000'],
      ['QUOTA_ENTERPRISE', 'unlimited', 'whole number'],
      ['CORS_ORIGINS', 'https://a.example/path', 'origins'],
      ['CORS_ORIGINS', 'a.example', 'http://'],
      ['CORS_ORIGINS', 'https://a.example,', 'http://'],
      ['PUBLIC_URL', 'rates.example', 'http://'],
      ['PUBLIC_URL', 'https://', 'http://'],
      ['PUBLIC_URL', 'https://a.example/?a=1', 'without user'],
      ['PUBLIC_URL', 'https://a.example/#f', 'without user'],
      ['PUBLIC_URL', 'https://a.example//fx', 'a plain path'],
      ['PUBLIC_URL', 'https://a.example/f;x', 'a plain path'],
      ['PUBLIC_URL', 'https://a.example/f%2fx', 'a plain path'],
      ['PUBLIC_URL', 'https://user:pw@a.example', 'without user'],
      ['CORS_ORIGINS', 'https://user@a.example', 'origins'],
      ['WEBHOOK_ALLOW', 'http://hooks.internal', 'must list hosts'],
      ['WEBHOOK_ALLOW', 'hooks.internal:8080', 'must list hosts'],
      ['WEBHOOK_ALLOW', '*', 'must list hosts'],
      ['WEBHOOK_ALLOW', '10.0.0.0/33', 'must list hosts'],
      ['WEBHOOK_ALLOW', 'hooks.internal/8', 'must list hosts'],
      ['WEBHOOK_ALLOW', '10.0.0.1,', 'must list hosts'],
      ['REFERENCE_FEED', 'NONE', 'or none'],
      ['QUOTE_MAX_AGE', 'OFF', 'or off'],
      ['SHUTDOWN_DELAY', '3s', 'or off'],
      ['SHUTDOWN_DELAY', '0', 'whole seconds, from 1s to 2s, or off'],
      ['HTTP_IDLE_TIMEOUT', '300', 'whole seconds, from 1s to 255s'],
      ['REFERENCE_MOVE_MAX_OF', 'ZWG', 'currencies with a percentage'],
      ['DATABASE_URL', 'postgres://user@a,b/corridor', 'one host'],
      ['DATABASE_URL', 'postgres://user@/corridor?host=a,b&port=5433', 'one host'],
      ['DATABASE_READ_URLS', 'postgres:///corridor?host=/a%2C/b', 'one host'],
      ['RETENTION_YEARS', '0', 'or off'],
      ['BACKUP_CRON', 'daily', 'cron pattern'],
      ['BACKUP_DIR', 'ftp://host/x', 'a folder, or a bucket'],
      ['BACKUP_KEEP', '0', 'from 1 to 10000, or off'],
      ['MCP_ALLOWED_HOSTS', 'https://a.example', 'host names'],
      ['MCP_ALLOWED_HOSTS', 'a.example:443', 'without a port'],
      ['MCP_ALLOWED_ORIGINS', 'a.example', 'http://'],
      ['TRUST_PROXY', 'true', 'whole number from 0 to 10'],
      ['BOARD_REQUESTS_PER_MINUTE', '0', 'whole number from 1 to 1000000'],
      ['METRICS_TOKEN', 'fifteen-visible', '16 to 256 visible characters'],
      ['METRICS_TOKEN', 'with a blank inside', '16 to 256 visible characters'],
      ['AUTH_SECRET', 'x'.repeat(31), '32 to 256 visible characters'],
      ['SMTP_URL', 'mail.example:25', 'smtps://user:password@host:465'],
      ['SMTP_URL', 'smtp://mail.example', 'come with MAIL_FROM, and with PUBLIC_URL'],
      ['SECOND_FACTOR_ROLES', 'treasurer', 'member, treasury, admin'],
      ['SESSION_IDLE_MAX', 'off', 'duration'],
      ['MAIL_FROM', 'nobody', 'Corridor <corridor@example.org>'],
      ['MAIL_FROM', 'Corridor <corridor@example.org', 'Corridor <corridor@example.org>'],
      ['MAIL_FROM', 'corridor@example.org>', 'Corridor <corridor@example.org>'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'http:// or https://'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer abc', 'authorization=Bearer%20abc'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', 'authorization=Bearer%20abc'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,', 'authorization=Bearer%20abc'],
      ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'one of always_on, always_off, traceidratio'],
      ['OTEL_TRACES_SAMPLER_ARG', '1.01', 'a number from 0 to 1'],
      ['OTEL_TRACES_SAMPLER_ARG', '50%', 'a number from 0 to 1'],
      ['OTEL_TRACES_SAMPLER_ARG', '-0', 'a number from 0 to 1'],
      ['LOG_LEVEL', 'loud', 'trace, debug, info, warn, error, silent'],
      ['LOG_LEVEL', 'INFO', 'trace, debug, info, warn, error, silent'],
      ['LOG_FORMAT', 'xml', 'json, pretty'],
    ]
    for (const [name, value, takes] of wrong) {
      const message = messageOf({ [name]: value })
      expect(message).toStartWith(`wrong settings: ${name} must`)
      expect(message).toContain(takes)
    }
  })

  test('one message names all wrong settings and none of the right ones', () => {
    const message = messageOf({
      HOST: '::1',
      PORT: 'http',
      MID_MAX_AGE: '3 days',
      QUOTA_PRO: 'many',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'xml',
    })
    for (const name of ['PORT', 'MID_MAX_AGE', 'QUOTA_PRO', 'LOG_FORMAT'])
      expect(message.split(`${name} must`)).toHaveLength(2)
    expect(message).not.toContain('HOST')
    expect(message).not.toContain('LOG_LEVEL')
    expect(message).not.toContain('\n')
  })

  test('a message never contains a secret, wherever it was written', () => {
    const secret = 's3cr3t-of-ours'
    const message = messageOf({
      DATABASE_URL: `mysql://user:${secret}@db/corridor`,
      REFERENCE_FEED_URL: `ftp://user:${secret}@a.example`,
      REFERENCE_FEED_KEY: secret,
      REFERENCE_FEED: secret,
      REFERENCE_FEED_CRON: secret,
      PUBLIC_URL: secret,
      CORS_ORIGINS: `https://user:${secret}@a.example`,
      PORT: secret,
      MID_MAX_AGE: secret,
      LOG_LEVEL: secret,
      LOG_FORMAT: secret,
    })
    expect(message).toContain('DATABASE_URL must')
    expect(message).toContain('CORS_ORIGINS must')
    expect(message).not.toContain(secret)
    expect(messageOf({ DATABASE_URL: `postgres://user:${secret}@db:port/x` })).not.toContain(secret)
  })
})

describe('the durations of loadConfig', () => {
  const midMaxAge = (text: string) => loadConfig({ MID_MAX_AGE: text }).midMaxAgeMs

  test('have a unit from milliseconds to days, and may have decimals', () => {
    expect(midMaxAge('250ms')).toBe(250)
    expect(midMaxAge('90s')).toBe(90_000)
    expect(midMaxAge('30m')).toBe(1_800_000)
    expect(midMaxAge('72h')).toBe(72 * HOUR_MS)
    expect(midMaxAge('7d')).toBe(168 * HOUR_MS)
    expect(midMaxAge('1.5h')).toBe(1.5 * HOUR_MS)
    expect(midMaxAge('1ms')).toBe(1)
    expect(midMaxAge('36500d')).toBe(36_500 * 24 * HOUR_MS)
  })

  test('are at least a millisecond and have nothing but a number and a unit', () => {
    for (const text of [
      '0h',
      '0.0001ms',
      '-1h',
      '72',
      'h',
      '72 h',
      '1h30m',
      '72H',
      '1w',
      '.5h',
      '1e3s',
      `${'9'.repeat(20)}d`,
      '36501d',
    ])
      expect(messageOf({ MID_MAX_AGE: text })).toStartWith('wrong settings: MID_MAX_AGE must')
  })

  test('a quote may have any age with off or without the setting', () => {
    expect(loadConfig({ QUOTE_MAX_AGE: 'off' }).quoteMaxAgeMs).toBeNull()
    expect(loadConfig({ QUOTE_STALE_AFTER: 'off' }).staleAfterMs).toBeNull()
    expect(loadConfig({ QUOTE_MAX_AGE: '1h' }).quoteMaxAgeMs).toBe(HOUR_MS)
  })
})

describe('the settings of backups', () => {
  test('stop the start if one is set without the others that it needs', () => {
    const together = 'BACKUP_CRON and BACKUP_DIR must come together'
    expect(messageOf({ BACKUP_CRON: '0 3 * * *' })).toContain(together)
    expect(messageOf({ BACKUP_DIR: 'backups' })).toContain(together)
    const bucket = { BACKUP_CRON: '0 3 * * *', BACKUP_DIR: 's3://backups' }
    expect(messageOf(bucket)).toContain('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set')
    const known = { ...bucket, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
    expect(messageOf(known)).toBe('no problem')
  })
})

describe('the lists of loadConfig', () => {
  test.each([
    ['https://Rates.Example:443', 'https://rates.example'],
    ['https://a.example/fx/', 'https://a.example/fx'],
    ['http://a.example:8080/a/b_c-d.e~f', 'http://a.example:8080/a/b_c-d.e~f'],
    ['https://a.example/x/../fx', 'https://a.example/fx'],
  ])('PUBLIC_URL %s is %s', (text, url) => {
    expect(loadConfig({ PUBLIC_URL: text }).publicUrl).toBe(url)
  })

  test('feeds are named in order of preference', () => {
    const { feeds } = loadConfig({
      REFERENCE_FEED: FEED_NAMES.join(' , '),
      REFERENCE_FEED_KEY: FEED_NAMES.map(() => 'key').join(),
    })
    expect(feeds.map(({ name }) => name)).toEqual(FEED_NAMES)
  })

  test('a feed without the key that it needs stops the start, with its name', () => {
    expect(FEED_NAMES.filter(needsKey)).toEqual(['openexchangerates', 'fastforex'])
    const env = { REFERENCE_FEED: 'ecb,fastforex', REFERENCE_FEED_KEY: 'of-the-ecb' }
    expect(messageOf(env)).toBe(
      'wrong settings: REFERENCE_FEED_KEY must hold a key for fastforex, in its place in the list',
    )
    expect(messageOf({ ...env, REFERENCE_FEED_KEY: ',key' })).toBe('no problem')
  })

  test('an address or a key too many stops the start, since one of them is in the wrong place', () => {
    const twice = 'https://a.example,https://b.example'
    expect(messageOf({ REFERENCE_FEED: 'ecb', REFERENCE_FEED_URL: twice })).toBe(
      'wrong settings: REFERENCE_FEED_URL has more entries than REFERENCE_FEED has feeds',
    )
    expect(messageOf({ REFERENCE_FEED: 'fastforex', REFERENCE_FEED_KEY: 'a,b' })).toContain(
      'REFERENCE_FEED_KEY has more entries',
    )
  })

  test('none means no feed', () => {
    expect(loadConfig({ REFERENCE_FEED: 'none' }).feeds).toEqual([])
  })

  test('URLs and keys belong to the feed at their place, and an empty place means none', () => {
    const { feeds } = loadConfig({
      REFERENCE_FEED: 'ecb,frankfurter,fastforex',
      REFERENCE_FEED_URL: ',https://b.example',
      REFERENCE_FEED_KEY: ',,k3',
    })
    expect(feeds.map(({ url, key }) => [url, key])).toEqual([
      [null, null],
      ['https://b.example', null],
      [null, 'k3'],
    ])
  })

  test('origins may be listed, or all allowed by a star', () => {
    expect(loadConfig({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*'])
    for (const text of ['https://a.example/', 'https://A.example', 'https://a.example:443'])
      expect(loadConfig({ CORS_ORIGINS: text }).corsOrigins).toEqual(['https://a.example'])
  })
})

test('a host may be written as in a URL', () => {
  expect(loadConfig({ HOST: '[::1]' }).host).toBe('::1')
})

describe('the bounds of loadConfig', () => {
  test('a port is from 0, which lets the system choose, to 65535', () => {
    expect(loadConfig({ PORT: '0' }).port).toBe(0)
    expect(loadConfig({ PORT: '65535' }).port).toBe(65_535)
  })

  test('a quota is from 0 to a thousand million', () => {
    expect(loadConfig({ QUOTA_FREE: '0' }).quotas.free).toBe(0)
    expect(loadConfig({ QUOTA_FREE: '1000000000' }).quotas.free).toBe(1_000_000_000)
  })
})
