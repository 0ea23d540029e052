export const CHANGES = [
  'account created',
  'account changed',
  'account deleted',
  'key created',
  'key replaced',
  'key revoked',
] as const

/** The actor recorded for the command line. */
export const COMMAND_LINE = 'command line'

/** One change of an account or of its keys. */
export type AuditedChange = {
  /** An e-mail address, or `COMMAND_LINE`. */
  readonly actor: string
  readonly action: (typeof CHANGES)[number]
  readonly accountId: string
  /** Name of the changed thing: an address, or a key's name. */
  readonly subject: string
  /** The members that differ; null for members that did not exist. */
  readonly before: Facts | null
  readonly after: Facts | null
}

export type Facts = Readonly<Record<string, string | null>>

export type AuditEntry = AuditedChange & { readonly id: number; readonly atMs: number }

/** Which entries are asked for; null if it does not matter. */
export type AuditFilter = {
  /** A part of the actor, of any case. */
  readonly actor: string | null
  readonly action: (typeof CHANGES)[number] | null
  /** A part of the subject, of any case. */
  readonly subject: string | null
  readonly fromMs: number | null
  readonly beforeMs: number | null
}

/** The newest entries that fit, with an id below `beforeId`. */
export type AuditPage = {
  readonly filter: AuditFilter
  readonly limit: number
  readonly beforeId: number | null
}
