import type { UsageCount } from '~/domain/quota.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'

type UsageStore = { add(counts: readonly UsageCount[]): Promise<readonly UsageCount[]> }

/**
 * Writes what was counted since the last time, and takes over what all replicas counted together.
 *
 * Rejects when the database does not answer; what was counted then stays pending.
 */
export async function flushUsage(meter: UsageMeter, store: UsageStore): Promise<void> {
  const counts = meter.takePending()
  if (counts.length === 0) return
  try {
    meter.settle(await store.add(counts))
  } catch (error) {
    meter.putBack()
    throw error
  }
}
