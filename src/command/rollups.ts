import type { Command } from 'commander'
import type { StoredCorridor } from '~/domain/corridor.ts'
import { type RollupStore, repairRollups } from '~/jobs/repair-rollups.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { withBar } from './progress.ts'
import { CommandFailure, printResult, type Terminal, withExisting } from './terminal.ts'

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }

type Options = { json?: boolean }

export function addRollups(program: Command, terminal: Terminal): void {
  const rollups = program
    .command('rollups')
    .description('summaries of observations by corridor and hour')
  rollups
    .command('verify')
    .description('compare all roll-ups with their observations; fails when any differs')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: Options) => {
      const result = await counted(terminal, async (store, corridor) => {
        return (await store.differences(corridor, ALWAYS)).length
      })
      const { corridors, hours: differences } = result
      const lines = [`${differences} hours differ, of ${corridors} corridors`]
      printResult(terminal, { isJson: json, result: { corridors, differences }, lines })
      if (differences > 0)
        throw new CommandFailure(`${differences} roll-ups are wrong: run corridor rollups rebuild`)
    })
  rollups
    .command('rebuild')
    .description('correct all rollups from their observations; safe while the service runs')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: Options) => {
      const result = await counted(terminal, async (store, corridor) => {
        return (await repairRollups(store, corridor, ALWAYS)).length
      })
      const { corridors, hours: repaired } = result
      const lines = [`${repaired} hours repaired, of ${corridors} corridors`]
      printResult(terminal, { isJson: json, result: { corridors, repaired }, lines })
    })
}

/** The hours that `work` counts in all corridors, one corridor after another. */
function counted(
  terminal: Terminal,
  work: (store: RollupStore, corridor: StoredCorridor) => Promise<number>,
): Promise<{ corridors: number; hours: number }> {
  return withExisting(terminal, async (database) => {
    const store = createRollupStore(database)
    const corridors = await store.corridors()
    let hours = 0
    await withBar(terminal, 'corridors', async (reach) => {
      for (const [done, corridor] of corridors.entries()) {
        reach(done, corridors.length)
        hours += await work(store, corridor)
      }
    })
    return { corridors: corridors.length, hours }
  })
}
