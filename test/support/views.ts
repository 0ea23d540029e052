import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, type Tier } from '~/domain/freshness.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import type { World } from './world.ts'

const LIMITS: AgeLimits = {
  midMaxAgeMs: 72 * HOUR_MS,
  quoteMaxAgeMs: null,
  staleAfterMs: 7 * DAY_MS,
}

/** Current view of a world for a caller of a tier. */
export const viewOf = (
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  tier: Tier = 'realtime',
  limits: Partial<AgeLimits> = {},
): View => new View(memory.current, freshnessAt(tier, clock.now()), { ...LIMITS, ...limits })
