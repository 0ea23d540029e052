import type { Command } from 'commander'
import { CATALOGUE_BYTES_MAX, readCatalogueFile } from '~/file/catalogue.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { readText } from './file.ts'
import { CommandFailure, printResult, type Terminal, withDatabase } from './terminal.ts'

export function addCatalogue(program: Command, terminal: Terminal): void {
  const catalogue = program.command('catalogue').description('currencies and providers')
  catalogue
    .command('apply')
    .description('create or update what a file names; what it does not name stays')
    .argument('<file>', 'JSON with the lists currencies and providers')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const named = await catalogueOf(path, terminal)
      const applied = await withDatabase(terminal, (database) =>
        createCatalogueStore(database).apply(named),
      )
      const line = `applied: currencies ${applied.currencies}, providers ${applied.providers}`
      printResult(terminal, { isJson: json, result: applied, lines: [line] })
    })
}

async function catalogueOf(path: string, terminal: Terminal) {
  const reading = readCatalogueFile(await readText(path, CATALOGUE_BYTES_MAX))
  const { faults, furtherFaults, ...named } = reading
  if (faults.length === 0) return named
  for (const fault of faults) terminal.say(fault)
  if (furtherFaults > 0) terminal.say(`and ${furtherFaults} more`)
  throw new CommandFailure(`nothing was applied: correct ${path} and apply it again`)
}
