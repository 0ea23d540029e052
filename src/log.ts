import { pino } from 'pino'
import pretty from 'pino-pretty'

/** What the rest of the house may do with a log; pino's own loggers fit. */
export type Log = {
  debug(context: object, message: string): void
  info(context: object, message: string): void
  warn(context: object, message: string): void
  error(context: object, message: string): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export const LOG_FORMATS = ['json', 'pretty'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogFormat = (typeof LOG_FORMATS)[number]

/** The only logger. It writes to stderr, so that stdout stays free for what a command prints. */
export function createLog({ level, format }: { level: LogLevel; format: LogFormat }): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (format === 'pretty') {
    const look = {
      destination: 2,
      sync: true,
      ignore: 'pid,hostname',
      translateTime: 'SYS:HH:MM:ss',
    }
    return pino(options, pretty(look))
  }
  return pino(options, pino.destination({ dest: 2, sync: true }))
}
