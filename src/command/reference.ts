import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { readReferenceFile } from '~/file/references.ts'
import type { Database } from '~/store/database.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { type InputFile, withInput } from './file.ts'
import { withProgress } from './progress.ts'
import { addReferenceFeeds } from './reference-feeds.ts'
import { allOrNothing } from './rejects.ts'
import { printResult, type Terminal, withDatabase } from './terminal.ts'

export function addReference(program: Command, terminal: Terminal): void {
  const reference = program.command('reference').description('what a US dollar was worth')
  addReferenceFeeds(reference, terminal)
  reference
    .command('import')
    .description('record a file of USD reference rates: all of its rows, or none if one is invalid')
    .argument(
      '<file>',
      'CSV with the columns fetched_at,source,currency,per_usd; - is standard input',
    )
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const { snapshots, rates } = await withInput(path, (input) =>
        withDatabase(terminal, (database) => run(terminal, database, input)),
      )
      const lines = [`rates added: ${rates}, in snapshots: ${snapshots}`]
      printResult(terminal, { isJson: json, result: { snapshots, rates }, lines })
    })
}

async function run(terminal: Terminal, database: Database, input: InputFile) {
  const read = readReferenceFile(withProgress(input, terminal), systemClock.now())
  const rows = allOrNothing(read, { terminal, advice: 'correct the file and import it again' })
  return importReferences({ database, rows })
}
