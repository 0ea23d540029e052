import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/postgres-js'
import { connect, type Database } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded.ts'
import { migrate } from '~/store/migrate.ts'
import { feed } from './feed.ts'
import { history } from './history.ts'
import { importing } from './import.ts'
import { ingestion } from './ingestion.ts'
import { mcp } from './mcp.ts'
import { startUp } from './start-up.ts'
import { type Figure, tableOf } from './table.ts'

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const SIZES = values.small
  ? { rows: 20_000, importRows: 20_000, historyRows: 100_000, batches: 50, rounds: 1, asks: 20 }
  : {
      rows: 1_000_000,
      importRows: 1_000_000,
      historyRows: 10_000_000,
      batches: 500,
      rounds: 3,
      asks: 200,
    }

const BENCHES: Record<string, (dir: string) => Promise<Figure[]>> = {
  'start-up': (dir) => startUp(dir, SIZES),
  ingestion: (dir) => withServer(dir, (scene) => ingestion(scene, SIZES)),
  import: (dir) =>
    withServer(dir, (scene) => importing({ ...scene, dir }, { rows: SIZES.importRows, rounds: 1 })),
  history: (dir) => history(dir, SIZES),
  feed: (dir) => withServer(dir, (scene) => feed(scene, SIZES)),
  mcp: (dir) => withServer(dir, (scene) => mcp(scene, SIZES)),
}

if (values.help) {
  console.log(`bun run bench [${Object.keys(BENCHES).join(' | ')}] [--small]`)
  process.exit(0)
}

const figures: Figure[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.error(`measuring: ${name}`)
  const dir = await mkdtemp(join(tmpdir(), 'corridor-bench-'))
  await chmod(dir, 0o755)
  try {
    figures.push(...(await bench(dir)))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
console.log(tableOf(figures))

type Scene = { readonly database: Database; readonly url: string }

/** Runs a bench on an embedded server of its own, as durable as the product's. */
async function withServer(
  dataDir: string,
  bench: (scene: Scene) => Promise<Figure[]>,
): Promise<Figure[]> {
  const embedded = await openEmbedded({ dataDir, use: 'command', say: () => {} })
  const { url } = embedded
  const sql = connect(url)
  const database: Database = {
    sql,
    db: drizzle(sql),
    kind: 'embedded',
    where: embedded.directory,
    close: () => sql.end(),
  }
  try {
    await migrate(database)
    return await bench({ database, url })
  } finally {
    await database.close()
    await embedded.close()
  }
}
