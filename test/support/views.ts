import { HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, type Tier } from '~/domain/freshness.ts'
import { View } from '~/memory/view.ts'
import type { World } from './world.ts'

/** What a caller of a tier sees of a world just now. */
export const viewOf = (
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  tier: Tier = 'realtime',
  midMaxAgeMs = 72 * HOUR_MS,
): View =>
  new View(memory.current, freshnessAt(tier, clock.now()), { midMaxAgeMs, quoteMaxAgeMs: null })
