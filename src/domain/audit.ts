const CHANGES = [
  'account created',
  'account changed',
  'key created',
  'key replaced',
  'key revoked',
] as const

/** The actor recorded when nobody signed in: a person with the command line. */
export const COMMAND_LINE = 'command line'

/** One change of an account or of its keys. */
export type AuditedChange = {
  /** An e-mail address, or `COMMAND_LINE`. */
  readonly actor: string
  readonly action: (typeof CHANGES)[number]
  readonly accountId: string
  /** What was changed, named for a person: an address, or a key's name. */
  readonly subject: string
  /** The members that differ; null for members that did not exist. */
  readonly before: Facts | null
  readonly after: Facts | null
}

export type Facts = Readonly<Record<string, string | null>>

export type AuditEntry = AuditedChange & { readonly id: number; readonly atMs: number }
