import type { Observation } from '~/domain/observation.ts'
import { instantText, storedEvidence } from '~/store/encoding.ts'

type OwnColumn = {
  readonly name: string
  readonly type: string
  readonly of: (row: Observation) => string | null
}

/**
 * The columns of an observation's own fields, without its series, its offer and its recording. Each
 * statement that records observations or reads prices has all of them.
 */
export const OWN_COLUMNS: readonly OwnColumn[] = [
  { name: 'effective_from', type: 'timestamptz', of: (row) => instantText(row.effectiveMs) },
  { name: 'rate_type', type: 'rate_type', of: ({ rateType }) => rateType },
  { name: 'rate', type: 'numeric', of: ({ rate }) => rate },
  { name: 'fee', type: 'numeric', of: ({ fee }) => fee },
  { name: 'fee_currency', type: 'text', of: ({ feeCurrency }) => feeCurrency },
  { name: 'notes', type: 'text', of: ({ notes }) => notes },
  { name: 'evidence', type: 'evidence', of: (row) => storedEvidence(row.evidence) },
]

export const OWN_NAMES = OWN_COLUMNS.map(({ name }) => name).join()
