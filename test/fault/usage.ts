import { setTimeout as delay } from 'node:timers/promises'
import type { Load } from './load.ts'
import type { Scene } from './scene.ts'
import type { CallerName } from './world.ts'

const SETTLE_MS_MAX = 4_000
/** Usage is written every second; before that a lost count looks like a pending one. */
const FLUSH_MS = 1_500
const POLL_MS = 100
const COUNTED: readonly CallerName[] = ['live', 'hourly', 'past']

export type Units = Readonly<Record<string, number>>

/** The units that the database has for each caller, of all days. */
export async function unitsOf({ admin, template }: Scene): Promise<Units> {
  const rows = await admin.sql<{ account_id: string; units: number }[]>`
    select account_id, sum(requests)::int as units from usage group by account_id`
  const byAccount = new Map(rows.map(({ account_id, units }) => [account_id, units]))
  return Object.fromEntries(
    COUNTED.map((name) => [name, byAccount.get(template.keys[name].accountId) ?? 0]),
  )
}

/**
 * Errors in the stored usage: each success has to be counted once, except for those of unknown
 * outcome and for `mayLose` that died with their process.
 */
export async function usageFaults(
  scene: Scene,
  load: Load,
  { before, mayLose, retries }: { before: Units; mayLose: number; retries: number },
): Promise<string[]> {
  const faults = async () => {
    const now = await unitsOf(scene)
    return COUNTED.flatMap((name) => {
      const { served, unknown } = load.units.get(name) ?? { served: 0, unknown: 0 }
      const kept = now[name]! - before[name]!
      const isRight = kept >= served - mayLose && kept <= served + unknown + retries
      return isRight ? [] : [`${name}: ${served} successes, ${kept} units counted`]
    })
  }
  if (mayLose > 0) await delay(FLUSH_MS)
  const deadline = performance.now() + SETTLE_MS_MAX
  for (;;) {
    const found = await faults()
    if (found.length === 0 || performance.now() > deadline) return found
    await delay(POLL_MS)
  }
}
