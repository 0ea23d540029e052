import type { Log } from '~/log.ts'

export type Line = { readonly level: string; readonly context: object; readonly message: string }

/** Line that every service logs when it begins. */
export const LOADED = 'info: memory is loaded'

/** A log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: Line[] = []

  debug(context: object, message: string): void {
    this.lines.push({ level: 'debug', context, message })
  }

  info(context: object, message: string): void {
    this.lines.push({ level: 'info', context, message })
  }

  warn(context: object, message: string): void {
    this.lines.push({ level: 'warn', context, message })
  }

  error(context: object, message: string): void {
    this.lines.push({ level: 'error', context, message })
  }

  /** Level and message of every line. */
  get said(): string[] {
    return this.lines.map(({ level, message }) => `${level}: ${message}`)
  }
}
