import type { Command } from 'commander'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { configOf, printResult, type Terminal } from './terminal.ts'

export function addMigrate(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('bring the database to the current schema; safe to run twice or at once')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { databaseUrl, dataDir } = configOf(terminal)
      const { say } = terminal
      const database = await openDatabase({ databaseUrl, dataDir, use: 'command', say })
      try {
        const applied = await migrate(database)
        const line = applied === 0 ? 'the schema is current' : `${applied} migrations applied`
        printResult(terminal, { isJson: json, result: { applied }, lines: [line] })
      } finally {
        await database.close()
      }
    })
}
