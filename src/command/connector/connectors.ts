import { basename } from 'node:path'
import type { Command } from 'commander'
import { readConnector } from '~/connector/definition.ts'
import { connectorsIn } from '~/connector/folder.ts'
import { connectorJsonSchema } from '~/connector/schema.ts'
import { connectorFolder } from '~/runtime/upstream/connectors.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { presentConnector } from '~/wire/status/connector.ts'
import { readText } from '../file.ts'
import { tableLines } from '../table.ts'
import { CommandFailure, configOf, printResult, type Terminal, withExisting } from '../terminal.ts'
import { addConnectorRun } from './run.ts'

const CONNECTOR_BYTES_MAX = 1_048_576

export function addConnectors(program: Command, terminal: Terminal): void {
  const connectors = program
    .command('connectors')
    .description('prices that arrive from other systems, each described by a YAML file')
  connectors
    .command('list')
    .description('list the connectors in the folder CONNECTORS: provider, format, terms, errors')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const folder = connectorFolder(configOf(terminal))
      const found = await connectorsIn(folder)
      const result = found.map(({ file, connector, faults }) => ({
        file,
        name: connector?.name ?? null,
        provider_id: connector?.provider ?? null,
        format: connector?.format ?? null,
        terms: connector?.terms ?? null,
        faults,
      }))
      const rows = result.map(({ file, name, provider_id, format, terms, faults }) =>
        faults.length > 0
          ? [file, 'invalid', '-', '-', faults[0]!]
          : [file, name!, provider_id ?? 'by row', format!, terms!],
      )
      const heading = ['file', 'connector', 'provider', 'format', 'terms']
      const lines =
        rows.length > 0
          ? tableLines([heading, ...rows])
          : [`no connector in ${folder}: CONNECTORS names the folder`]
      printResult(terminal, { isJson: json, result, lines })
    })
  addCheck(connectors, terminal)
  connectors
    .command('schema')
    .description('print the JSON Schema of connector files, for editors')
    .action(() => terminal.print(JSON.stringify(connectorJsonSchema(), null, 2)))
  addConnectorRun(connectors, terminal)
  addStatus(connectors, terminal)
}

function addCheck(connectors: Command, terminal: Terminal): void {
  connectors
    .command('check')
    .description('check a connector file, and print each error with its line and column')
    .argument('<file>', 'a YAML file')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { json = false }: { json?: boolean }) => {
      const { connector, faults } = readConnector(await readText(path, CONNECTOR_BYTES_MAX))
      const result = { ok: connector !== null, name: connector?.name ?? null, faults }
      const lines = connector
        ? [`${connector.name} is valid`]
        : faults.map((fault) => `${basename(path)} ${fault}`)
      printResult(terminal, { isJson: json, result, lines })
      if (!connector) throw new CommandFailure(`${path} is not a valid connector`)
    })
}

function addStatus(connectors: Command, terminal: Terminal): void {
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
