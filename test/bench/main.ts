import { parseArgs } from 'node:util'
import { endTestCluster } from '../support/postgres.ts'
import { removeScratch } from '../support/scratch.ts'
import { connectors } from './connectors.ts'
import { feed } from './feed.ts'
import { archive } from './history/archive.ts'
import { history } from './history/history.ts'
import { emptyHome, type Home, shareServer } from './home.ts'
import { compareBench } from './http/compare.ts'
import { httpBench } from './http/main.ts'
import { importing } from './import.ts'
import { ingestion } from './ingestion.ts'
import { mcp } from './mcp.ts'
import { scale } from './scale.ts'
import { endTogether, inScratch } from './scratch.ts'
import { startUp } from './start-up.ts'
import { stream } from './stream.ts'
import { type Figure, tableOf } from './table.ts'

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    only: { type: 'string' },
    servers: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    generator: { type: 'string' },
    out: { type: 'string' },
    rows: { type: 'string' },
    dir: { type: 'string' },
  },
  allowPositionals: true,
})

const SIZES = values.small
  ? { rows: 1000, importRows: 1000, batches: 5, rounds: 1, requests: 20 }
  : { rows: 1_000_000, importRows: 1_000_000, batches: 500, rounds: 3, requests: 500 }

const HISTORY = values.small
  ? { rows: 10_000, years: 1, corridors: 20, referenceHours: 24, asks: 2, starts: 1 }
  : { rows: 10_000_000, years: 5, corridors: 200, referenceHours: 1, asks: 200, starts: 5 }

/** Benches that reuse their data. */
const KEPT = ['history', 'archive']
const ARCHIVE = values.small ? { rows: 20_000, asks: 5 } : { rows: 1_000_000, asks: 60 }
const ROWS_MIN = 10_000
const ROWS_MAX = 1_000_000_000
const historyRows = Number(values.rows ?? HISTORY.rows)

const SCALE = values.small
  ? { sizes: [500, 1500], rounds: 1, seconds: 0.1, warmUpSeconds: 0, batches: 2 }
  : { sizes: [500, 5000, 50_000], rounds: 3, seconds: 3, warmUpSeconds: 1, batches: 200 }

const MCP = values.small
  ? { rounds: 1, seconds: 0.1, warmingSeconds: 0.1 }
  : { rounds: 3, seconds: 3, warmingSeconds: 6 }

const CONNECTORS = values.small
  ? { questions: 14, fileRows: 1000, calmSeconds: 0.5 }
  : { questions: 203, fileRows: 10_000, calmSeconds: 5 }

const STREAMS = values.small
  ? { depth: 1, streams: 200, streamSeconds: 0.5, warmingSeconds: 0.2, missed: 1000 }
  : { depth: 4, streams: 5000, streamSeconds: 10, warmingSeconds: 2, missed: 10_000 }

/** Each returns its metrics or a table of its own. */
const BENCHES: Record<string, (dir: string) => Promise<Figure[] | string>> = {
  http: (dir) => httpBench(dir, values),
  scale: (dir) => scale(dir, SCALE),
  'start-up': (dir) => startUp(dir, SIZES),
  ingestion: (dir) => withServer(dir, (scene) => ingestion(scene, SIZES)),
  import: (dir) =>
    withServer(dir, (scene) => importing({ ...scene, dir }, { rows: SIZES.importRows, rounds: 1 })),
  history: (dir) => history(dir, { ...HISTORY, rows: historyRows }),
  archive: (dir) =>
    archive(dir, { ...HISTORY, ...ARCHIVE, rows: Number(values.rows ?? ARCHIVE.rows) }),
  feed: (dir) => withServer(dir, (scene) => feed(scene, SIZES)),
  connectors: (dir) => withServer(dir, (scene) => connectors({ ...scene, dir }, CONNECTORS)),
  mcp: (dir) => withServer(dir, (scene) => mcp(scene, MCP)),
  stream: (dir) => stream(dir, STREAMS),
}

const HELP = `bun run bench [${Object.keys(BENCHES).join(' | ')}] [--small]
bun run bench http [--only fetch-one,rates] [--servers service,bare] [--rounds N] [--seconds N]
  [--generator wrk|autocannon] [--out FILE]
bun run bench history [--rows N] [--dir DIR]: of N observations, and a tenth of them; what it
  fills in DIR stays there, and is used again
bun run bench archive [--rows N] [--dir DIR]: N observations, a million if nothing is said, as rows
  and archived
bun run bench compare OLD NEW: ratios between two files of bench http`

if (values.help) {
  console.log(HELP)
  process.exit(0)
}
if (positionals[0] === 'compare') {
  const [, old, fresh, ...more] = positionals
  if (!old || !fresh || more.length > 0) {
    console.error('bun run bench compare OLD NEW: it takes two files of bun run bench http')
    process.exit(2)
  }
  try {
    console.log(await compareBench(old, fresh))
    process.exit(0)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}
const unknown = positionals.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}\n${HELP}`)
  process.exit(2)
}

if (!Number.isInteger(historyRows) || historyRows < ROWS_MIN || historyRows > ROWS_MAX) {
  const [least, most] = [ROWS_MIN, ROWS_MAX].map((count) => count.toLocaleString('en'))
  console.error(`--rows ${values.rows}: ask for a whole number from ${least} to ${most}`)
  process.exit(2)
}
endTogether(values.dir)
if (values.small) shareServer()
const figures: Figure[] = []
const tables: string[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.error(`measuring: ${name}`)
  const measured = await inScratch(bench, KEPT.includes(name) ? values.dir : undefined)
  if (typeof measured === 'string') tables.push(measured)
  else figures.push(...measured)
}
if (figures.length > 0) tables.push(tableOf(figures))
await endTestCluster()
await removeScratch()
console.log(tables.join('\n\n'))

/** Runs a bench on an empty database. */
async function withServer(
  dataDir: string,
  bench: (home: Home) => Promise<Figure[]>,
): Promise<Figure[]> {
  const home = await emptyHome(dataDir)
  try {
    return await bench(home)
  } finally {
    await home.close()
  }
}
