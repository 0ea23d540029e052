import type { TObject, TSchema } from '@sinclair/typebox'
import { ERROR_CODES, type ErrorCode } from '~/domain/errors.ts'
import { ERROR_STATUS } from '~/wire/errors.ts'
import type { List } from '~/wire/list/list.ts'

export const TAGS = {
  Rates: "Providers' quotes in a corridor, now and over time.",
  Costs: 'What sending money from country to country costs.',
  Pairs: 'Mid and best rate of one pair or of many in one call.',
  Alerts: 'Notifications of prices that pass a threshold, move or grow stale.',
  Catalogue: 'The supported currencies, providers and corridors.',
  Recording: 'For accounts that record observations.',
  Service: 'Quota and health.',
} as const

/** Properties of an operation beyond its schemas. */
export type OperationNotes = {
  /** A unique id that reads as a method name. */
  readonly id: string
  readonly tag: keyof typeof TAGS
  readonly summary: string
  readonly description: string
  /** Codes that only the work itself can cause; those of keys and parameters are implied. */
  readonly errors?: readonly ErrorCode[]
  /** Response headers besides those of keys, tiers and tags. */
  readonly mayCarry?: readonly (
    | 'X-As-Of'
    | 'X-Note'
    | 'Link'
    | 'Content-Disposition'
    | 'X-Accel-Buffering'
  )[]
}

/** One operation of the API, built from the schemas that check and type it. */
export type Operation = OperationNotes & {
  /** The parts of the path in braces. */
  readonly path?: TObject
  readonly query: TObject
  readonly headers?: TObject
  readonly body?: {
    readonly schema: TSchema
    readonly examples: Readonly<Record<string, unknown>>
    /** Examples of the body in other media than JSON. */
    readonly texts?: Readonly<Record<string, string>>
  }
  /** Callers that are let in. */
  readonly access: 'public' | 'key' | 'recording'
  /** Says whether a token in the URL may take the place of the key. */
  readonly takesToken?: boolean
  /** Says whether a success costs a unit. */
  readonly isMetered: boolean
  readonly isTiered: boolean
  readonly success: { readonly status: 200 | 201; readonly body: TSchema }
  /** Says whether the response has an entity tag, so that a caller who holds it gets a 304. */
  readonly isTagged?: boolean
  /** Says whether the response has its position in the log of changes. */
  readonly isPositioned?: boolean
  /** The form of a success that is not JSON. */
  readonly file?: { readonly medium: string; readonly description: string }
  /** The events of a success that is a stream of them, by their names. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** Rows of a file from the response's entries, if it is a list. */
  readonly list?: List
}

/** An operation with its path below the base path. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly operation: Operation
}

/** Every error code of an operation, by status in ascending order. */
export function errorsByStatus(operation: Operation): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([...(operation.errors ?? []), ...commonErrors(operation)])
  const ordered = ERROR_CODES.filter((code) => codes.has(code))
  const byStatus = Map.groupBy(ordered, (code) => ERROR_STATUS[code])
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}

function commonErrors({ access, isMetered, query, path }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error']
  const fields = Object.values(query.properties)
  if (fields.length > 0 || (isMetered && !path)) codes.push('invalid_parameter')
  if (fields.some(({ type }) => type !== 'array')) codes.push('repeated_parameter')
  if (query.required?.length) codes.push('missing_parameter')
  if (access !== 'public')
    codes.push('missing_key', 'invalid_key', 'revoked_key', 'too_many_failures')
  if (isMetered) codes.push('quota_exceeded')
  if (query.properties.min_position) codes.push('replica_behind')
  return codes
}
