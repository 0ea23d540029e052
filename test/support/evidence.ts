import type { LogReader } from '~/service/evidence/log.ts'

/** The log of a service that has sealed nothing. */
export const noEvidence: LogReader = {
  head: async () => null,
  sizeAt: async () => 0,
  tile: async () => null,
  entries: async () => null,
  indexOf: async () => null,
  has: async () => false,
  entryAt: async () => null,
  inclusion: async () => [],
  nextMs: () => null,
}
