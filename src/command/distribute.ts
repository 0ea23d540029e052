import { type Command, InvalidArgumentError } from 'commander'
import type { Database } from '~/store/database.ts'
import { hasExtension, layoutOf, shardNodes } from '~/store/distributed/cluster-state.ts'
import { distribute } from '~/store/distributed/distribute.ts'
import { obstacles } from '~/store/distributed/obstacles.ts'
import { isMigrated } from '~/store/migrate.ts'
import { CommandFailure, configOf, printResult, type Terminal, withUnmigrated } from './terminal.ts'

const SHARDS = 16
const SHARDS_MAX = 1024

type Options = { shards?: number; dryRun?: boolean; json?: boolean }

export function addDistribute(program: Command, terminal: Terminal): void {
  program
    .command('distribute')
    .description('move the history to the workers of a Citus cluster, while no service runs')
    .option('--shards <n>', `number of shards (default ${SHARDS})`, asShards)
    .option('--dry-run', 'check without changing anything')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false, ...options }: Options) => {
      if (configOf(terminal).databaseUrl === null) throw new CommandFailure(EMBEDDED)
      const result = await withUnmigrated(terminal, (database) =>
        distributed(database, options, terminal),
      )
      printResult(terminal, { isJson: json, result, lines: linesOf(result) })
    })
}

const EMBEDDED =
  'the embedded database cannot be distributed: set DATABASE_URL to the coordinator of a ' +
  'Citus cluster, and bring the data there with corridor backup and corridor restore'

function asShards(text: string): number {
  const shards = Number(text)
  if (!/^\d{1,4}$/.test(text) || shards < 1 || shards > SHARDS_MAX)
    throw new InvalidArgumentError(`It must be 1 to ${SHARDS_MAX}.`)
  return shards
}

type Result = {
  readonly state: 'done' | 'done before' | 'possible'
  readonly shards: number
  readonly workers: readonly string[]
  readonly rows?: Readonly<Record<string, number>>
  readonly widened?: readonly string[]
  readonly given_up?: readonly string[]
}

async function distributed(
  { sql }: Database,
  { shards = SHARDS, dryRun = false }: Options,
  { say }: Terminal,
): Promise<Result> {
  if (!(await isMigrated(sql)))
    throw new CommandFailure('the schema is not that of this version: run corridor migrate first')
  if (await hasExtension(sql)) {
    const layout = await layoutOf(sql)
    if (layout.kind === 'mixed') throw new CommandFailure(mixedText(layout.wrong))
    if (layout.kind === 'distributed')
      return { state: 'done before', shards: layout.shards, workers: await shardNodes(sql) }
  }
  const found = await obstacles(sql, shards)
  if (found.length > 0) throw new CommandFailure(`nothing was changed: ${found.join('; ')}`)
  const workers = await shardNodes(sql)
  if (dryRun) return { state: 'possible', shards, workers }
  const { rows, widened, givenUp } = await distribute(sql, shards, say)
  return { state: 'done', shards, workers, rows, widened, given_up: givenUp }
}

const mixedText = (wrong: readonly string[]): string =>
  `some tables are distributed as corridor needs it and others are not (${wrong.join('; ')}). ` +
  'Corridor distributes all of them at once or none, so another program did this: restore a ' +
  'backup into an empty database and distribute that'

function linesOf({ state, shards, workers, rows, widened, given_up }: Result): string[] {
  const where = `${shards} shards on ${workers.length} servers (${workers.join(', ')})`
  if (state === 'possible') return [`it can be distributed: ${where}`]
  if (state === 'done before') return [`the history is distributed already: ${where}`]
  return [
    `the history is distributed: ${where}`,
    ...Object.entries(rows!).map(([table, count]) => `${table}: ${count} rows`),
    `keys that hold the corridor too, from now on: ${widened!.join(', ')}`,
    `without, from now on: ${given_up!.join(', ')}`,
  ]
}
