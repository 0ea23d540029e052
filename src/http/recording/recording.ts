import type { Headers } from '~/http/reply.ts'
import type { Memory } from '~/memory/memory.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { POSITION_HEADER } from '~/wire/success-headers.ts'

/** The common parts of the operations for accounts that record. */
export const RECORDING = {
  tag: 'Recording',
  ...{ access: 'recording' as const, isMetered: false, isTiered: false, isPositioned: true },
  errors: ['malformed_body', 'body_too_large', 'forbidden', 'database_unavailable', 'overloaded'],
} as const satisfies Partial<Operation>

/** The header for one who recorded at a position; without one all that is served by now counts. */
export const positionHeader = (
  { memory }: { readonly memory: Memory },
  position: number | null | undefined,
): Headers => ({ [POSITION_HEADER]: String(position ?? memory.positions.position) })
