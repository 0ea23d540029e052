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
  /** An email address, or `COMMAND_LINE`. */
  readonly actor: string
  readonly action: (typeof CHANGES)[number]
  readonly accountId: string
  /** Name of the changed thing: an address, or a key's name. */
  readonly subject: string
  /** The fields that differ; null for fields that did not exist. */
  readonly before: Facts | null
  readonly after: Facts | null
}

export type Facts = Readonly<Record<string, string | null>>

export type AuditEntry = AuditedChange & { readonly id: number; readonly atMs: number }

/** Filters of entries; null for a filter that does not apply. */
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
