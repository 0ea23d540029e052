import type { Headers } from '~/http/reply.ts'
import type { Memory } from '~/memory/memory.ts'
import { POSITION_HEADER } from '~/wire/success-headers.ts'

/** The header for one who recorded at a position; without one all that is served by now counts. */
export const positionHeader = (
  { memory }: { readonly memory: Memory },
  position: number | null | undefined,
): Headers => ({ [POSITION_HEADER]: String(position ?? memory.positions.position) })
