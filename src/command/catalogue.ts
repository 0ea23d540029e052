import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { CATALOGUE_BYTES_MAX, readCatalogueFile } from '~/file/catalogue.ts'
import { repairRollups } from '~/jobs/repair-rollups.ts'
import { sampleCatalogue } from '~/sample/sample.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { CatalogueFault } from '~/store/currency-row.ts'
import type { Database } from '~/store/database.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { readText } from './file.ts'
import { CommandFailure, configOf, printResult, type Terminal, withDatabase } from './terminal.ts'

export function addCatalogue(program: Command, terminal: Terminal): void {
  const catalogue = program.command('catalogue').description('currencies and providers')
  catalogue
    .command('apply')
    .description('create or update the currencies and providers in a file; others stay as they are')
    .argument('<file>', 'JSON with the lists currencies and providers')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const text = await readText(path, CATALOGUE_BYTES_MAX)
      await apply({ text, path, isJson: json }, terminal)
    })
  catalogue
    .command('starter')
    .description("create or update the sample's currencies, with their pegs, and its providers")
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { publicUrl } = configOf(terminal)
      await apply({ text: starter(publicUrl), path: 'the starter', isJson: json }, terminal)
    })
}

/** The sample's catalogue as a file; its flags are at this service's address, if anywhere. */
function starter(publicUrl: string | null): string {
  const { currencies, providers } = sampleCatalogue(publicUrl ?? '')
  const shown = currencies.map((one) => (publicUrl === null ? { ...one, flag_url: null } : one))
  return JSON.stringify({ currencies: shown, providers })
}

type CatalogueFile = { readonly text: string; readonly path: string; readonly isJson: boolean }

async function apply({ text, path, isJson }: CatalogueFile, terminal: Terminal): Promise<void> {
  const named = catalogueOf({ text, path }, terminal)
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
  printResult(terminal, { isJson, result: applied, lines: [line] })
}

/**
 * Repairs the hours around now. Observations recorded just before a provider is switched may take
 * effect just after it: their hour was rolled up by the earlier state of the provider.
 */
async function repairLastHours(database: Database): Promise<void> {
  const rollups = createRollupStore(database)
  const fromMs = hourStartMs(systemClock.now()) - HOUR_MS
  const window = { fromMs, beforeMs: Number.POSITIVE_INFINITY }
  for (const corridor of await rollups.corridors()) await repairRollups(rollups, corridor, window)
}

function catalogueOf({ text, path }: Pick<CatalogueFile, 'text' | 'path'>, terminal: Terminal) {
  const reading = readCatalogueFile(text)
  const { faults, furtherFaults, ...named } = reading
  if (faults.length === 0) return named
  if (furtherFaults > 0) faults.push(`and ${furtherFaults} more`)
  throw refusal(faults, path, terminal)
}

function refusal(faults: readonly string[], path: string, terminal: Terminal): CommandFailure {
  for (const fault of faults) terminal.say(fault)
  return new CommandFailure(`nothing was applied: correct ${path} and apply it again`)
}
