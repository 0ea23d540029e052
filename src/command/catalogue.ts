import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { CATALOGUE_BYTES_MAX, readCatalogueFile } from '~/file/catalogue.ts'
import { repairRollups } from '~/jobs/repair-rollups.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { CatalogueFault } from '~/store/currency-row.ts'
import type { Database } from '~/store/database.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { readText } from './file.ts'
import { CommandFailure, printResult, type Terminal, withDatabase } from './terminal.ts'

export function addCatalogue(program: Command, terminal: Terminal): void {
  const catalogue = program.command('catalogue').description('currencies and providers')
  catalogue
    .command('apply')
    .description('create or update the currencies and providers in a file; others stay as they are')
    .argument('<file>', 'JSON with the lists currencies and providers')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const named = await catalogueOf(path, terminal)
      const applied = await withDatabase(terminal, async (database) => {
        const counts = await createCatalogueStore(database)
          .apply(named)
          .catch((error) => {
            throw error instanceof CatalogueFault ? refusal(error.faults, path, terminal) : error
          })
        if (counts.providers > 0) await repairLastHours(database)
        return counts
      })
      const line = `applied: currencies ${applied.currencies}, providers ${applied.providers}`
      printResult(terminal, { isJson: json, result: applied, lines: [line] })
    })
}

/**
 * Repairs the hours around now. Observations that were recorded just before a provider is switched
 * may hold from just after it: their hour was rolled up by what the provider was until then.
 */
async function repairLastHours(database: Database): Promise<void> {
  const rollups = createRollupStore(database)
  const fromMs = hourStartMs(systemClock.now()) - HOUR_MS
  const window = { fromMs, beforeMs: Number.POSITIVE_INFINITY }
  for (const corridor of await rollups.corridors()) await repairRollups(rollups, corridor, window)
}

async function catalogueOf(path: string, terminal: Terminal) {
  const reading = readCatalogueFile(await readText(path, CATALOGUE_BYTES_MAX))
  const { faults, furtherFaults, ...named } = reading
  if (faults.length === 0) return named
  if (furtherFaults > 0) faults.push(`and ${furtherFaults} more`)
  throw refusal(faults, path, terminal)
}

/** The failure of a catalogue that has faults, after telling them. */
function refusal(faults: readonly string[], path: string, terminal: Terminal): CommandFailure {
  for (const fault of faults) terminal.say(fault)
  return new CommandFailure(`nothing was applied: correct ${path} and apply it again`)
}
