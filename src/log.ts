import { pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { Output } from './log/output.ts'
import { type RepetitionBounds, Repetitions } from './log/repetitions.ts'

/** A log as the rest of the code sees it; pino's own loggers fit. */
export type Log = {
  debug(context: object, message: string): void
  info(context: object, message: string): void
  warn(context: object, message: string): void
  error(context: object, message: string): void
  /** Says whether a level is written; if absent, nothing finer than `info` is. */
  isLevelEnabled?(level: string): boolean
}

/** A log created here, which has to be ended. */
export type OwnLog = Required<Log> & {
  /**
   * Resolves when all lines are written, at the end of a process. A reader that has stopped is not
   * waited for.
   */
  flushed(): Promise<void>
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export const LOG_FORMATS = ['json', 'pretty'] as const

type LogLevel = (typeof LOG_LEVELS)[number]
type LogFormat = (typeof LOG_FORMATS)[number]

type LogOptions = {
  readonly level: LogLevel
  readonly format: LogFormat
  /**
   * Texts that no line may contain, wherever they come from: passwords and keys of the settings.
   */
  readonly secrets?: readonly string[]
  /** The number of this worker, if there are several; it is in every line. */
  readonly worker?: number | undefined
  readonly repetitions?: RepetitionBounds
  /** Takes each line instead of stderr. */
  readonly write?: (line: string) => void
}

const STDERR = 2

/**
 * The only logger. It writes to stderr, so that stdout stays free for what a command prints, and
 * never waits for its reader. Beyond a bound, repeated warnings and errors are only counted.
 */
export function createLog(options: LogOptions): OwnLog {
  const { level, format, secrets = [], worker } = options
  const leftOut = (context: object) => logger.warn(context, 'lines of the log were left out here')
  const output = new Output(STDERR, (lines) => leftOut({ lines, reason: 'stderr was not read' }))
  const repetitions = new Repetitions(leftOut, options.repetitions)
  const toStderr = (line: string) => output.write(shown(line))
  const shown = format === 'pretty' ? prettyFactory(PRETTY) : (line: string) => line
  const settings = {
    level,
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: shownError },
    hooks: { streamWrite: redactor(secrets) },
  }
  const logger = pino(settings, { write: options.write ?? toStderr })
  const bounded = (at: 'warn' | 'error') => (context: object, message: string) => {
    if (repetitions.admits(message)) logger[at](context, message)
  }
  return {
    debug: (context, message) => logger.debug(context, message),
    info: (context, message) => logger.info(context, message),
    warn: bounded('warn'),
    error: bounded('error'),
    isLevelEnabled: (name) => logger.isLevelEnabled(name),
    flushed() {
      repetitions.end()
      return output.flushed()
    },
  }
}

const PRETTY = { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }

type ShownError = { type: string; message: string; stack?: string; code?: unknown; cause?: unknown }

/** Depth to which errors are shown with their causes. */
const CAUSES_MAX = 5

/**
 * The part of an error that a line shows. Its other fields stay out: drivers keep the statement
 * there, with every parameter, and some write the parameters into the message too.
 */
function shownError(error: unknown, depth = 0): ShownError | string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error
  const { name, cause, stack } = error
  const { code } = error as { code?: unknown }
  return {
    type: name,
    message: withoutParameters(error.message),
    ...(stack && { stack: withoutParameters(stack) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: shownError(cause, depth + 1) }),
  }
}

const withoutParameters = (text: string): string =>
  text.replace(/\nparams: [\s\S]*?(?=\n\s+at |$)/g, '')

const HIDDEN = '[hidden]'
const SECRET_WORD =
  'authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key|app[-_]?id|signature'

/**
 * Patterns of secrets anywhere in a line, each with its replacement. A field `link` is for the
 * operator to open if no email can be sent, so the token in it stays.
 */
const SECRET_SHAPES: readonly [shape: RegExp, shown: string][] = [
  [/\b(cr[drt]_)\w+/g, `$1${HIDDEN}`],
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s:@/"\\]{0,200}):[^\s@"\\]{1,500}@/gi, `$1:${HIDDEN}@`],
  [
    new RegExp(`("[^"]{0,50}(?:${SECRET_WORD})[^"]{0,50}"):"(?:[^"\\\\]|\\\\.)*"`, 'gi'),
    `$1:"${HIDDEN}"`,
  ],
  [
    new RegExp(
      `([?&;\\s][\\w-]{0,50}(?:${SECRET_WORD}|key)=)(?<!"link":"[^"\\s]{0,1000})[^&\\s"\\\\]+`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  [/\b(bearer|basic) [\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
]

/** The shortest setting that is redacted; shorter ones would match ordinary words. */
const SECRET_LENGTH_MIN = 6

/** Redacts every line last, so that no other code has to remember what may be logged. */
function redactor(secrets: readonly string[]): (line: string) => string {
  const known = secrets
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .map((secret) => JSON.stringify(secret).slice(1, -1))
  return (line) => {
    let shown = line
    for (const secret of known) shown = shown.replaceAll(secret, HIDDEN)
    for (const [shape, kept] of SECRET_SHAPES) shown = shown.replace(shape, kept)
    return shown
  }
}
