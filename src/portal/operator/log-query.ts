import { type AuditFilter, CHANGES } from '~/domain/audit.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { fieldOf } from '~/portal/member/page-request.tsx'

const TEXT_LENGTH_MAX = 254
const ID = /^\d{1,15}$/

const FIELDS = ['actor', 'action', 'subject', 'from', 'to'] as const

type FieldName = (typeof FIELDS)[number]

/** Request for the log: the fields as they were sent, and their meaning. */
export type LogQuery = {
  readonly fields: Readonly<Record<FieldName, string>>
  readonly faults: Readonly<Partial<Record<FieldName, string>>>
  readonly filter: AuditFilter
  /** The entry before which the page begins; null for the newest. */
  readonly beforeId: number | null
}

const NO_DATE = 'That is not a date; one looks like 2026-03-05.'
const NO_ACTION = 'There is no such change.'
const BACKWARDS = 'The last day is before the first.'

/** The filter of an address, without fields that cannot be read. */
export function logQueryOf(params: URLSearchParams): LogQuery {
  const text = (name: FieldName) => fieldOf(params, name).trim().slice(0, TEXT_LENGTH_MAX)
  const fields = Object.fromEntries(FIELDS.map((name) => [name, text(name)])) as LogQuery['fields']
  const { actor, action, subject, from, to } = fields
  const [fromMs, lastMs] = [dateMsOf(from), dateMsOf(to)]
  const known = CHANGES.find((change) => change === action) ?? null
  const faults: Partial<Record<FieldName, string>> = {}
  if (action !== '' && known === null) faults.action = NO_ACTION
  if (from !== '' && fromMs === null) faults.from = NO_DATE
  if (to !== '' && lastMs === null) faults.to = NO_DATE
  if (fromMs !== null && lastMs !== null && lastMs < fromMs) faults.to = BACKWARDS
  const before = params.get('before') ?? ''
  return {
    fields,
    faults,
    filter: {
      actor: actor || null,
      action: known,
      subject: subject || null,
      fromMs,
      beforeMs: lastMs === null ? null : lastMs + DAY_MS,
    },
    beforeId: ID.test(before) ? Number(before) : null,
  }
}

export const isFaulty = ({ faults }: LogQuery): boolean => Object.keys(faults).length > 0

export const fieldsText = ({ fields }: LogQuery, more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams([
    ...Object.entries(fields).filter(([, value]) => value !== ''),
    ...Object.entries(more),
  ]).toString()
