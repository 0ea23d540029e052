import type { Command } from 'commander'
import { printResult, type Terminal, watchedMigrate, withUnmigrated } from './terminal.ts'

export function addMigrate(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the database to the current schema; safe to run twice or at once')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const applied = await withUnmigrated(terminal, (database) =>
        watchedMigrate(terminal, database),
      )
      const line = applied === 0 ? 'the schema is current' : `migrations applied: ${applied}`
      printResult(terminal, { isJson: json, result: { applied }, lines: [line] })
    })
}
