import type { Command } from 'commander'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { presentConnector } from '~/wire/status/connector.ts'
import { tableLines } from '../table.ts'
import { printResult, type Terminal, withExisting } from '../terminal.ts'

/** The command `connectors status`. */
export function addConnectorStatus(connectors: Command, terminal: Terminal): void {
  connectors
    .command('status')
    .description('how the last run of each connector went, and why it failed')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const records = await withExisting(terminal, (database) =>
        createConnectorStore(database).load(),
      )
      const result = records.map((record) => ({
        ...presentConnector(record),
        rows: record.rows,
        recorded: record.recorded,
        refused: record.refused,
        reason: record.isFailing ? record.message : null,
      }))
      const rows = result.map(({ name, is_failing, last_success, recorded, refused, reason }) => [
        name,
        is_failing ? 'failing' : 'works',
        last_success ?? 'never',
        String(recorded),
        String(refused),
        reason ?? '-',
      ])
      const heading = ['connector', 'state', 'last success', 'recorded', 'refused', 'reason']
      const lines = rows.length > 0 ? tableLines([heading, ...rows]) : ['no connector ran yet']
      printResult(terminal, { isJson: json, result, lines })
    })
}
