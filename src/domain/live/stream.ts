import type { Plan } from '~/domain/quota.ts'

/** The maximum number of an account's open streams, in all processes together. */
export const STREAMS_MAX: Readonly<Record<Plan, number>> = { free: 2, pro: 5, enterprise: 20 }

/** The maximum number of corridors that one stream may name. */
export const STREAM_CORRIDORS_MAX = 50

/** One open stream, or one about to open. */
export type StreamSlot = { readonly id: string; readonly accountId: string }
