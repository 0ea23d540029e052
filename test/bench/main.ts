import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { feed } from './feed.ts'
import { history } from './history.ts'
import { type Home, openHome } from './home.ts'
import { compareBench } from './http/compare.ts'
import { httpBench } from './http/main.ts'
import { importing } from './import.ts'
import { ingestion } from './ingestion.ts'
import { mcp } from './mcp.ts'
import { scale } from './scale.ts'
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

const SCALE = values.small
  ? { sizes: [500, 5000], rounds: 1, seconds: 1, batches: 20 }
  : { sizes: [500, 5000, 50_000], rounds: 3, seconds: 3, batches: 200 }

const STREAMS = values.small
  ? { streams: 200, streamSeconds: 1, missed: 1000 }
  : { streams: 5000, streamSeconds: 10, missed: 10_000 }

/** Each gives figures, or a table of its own. */
const BENCHES: Record<string, (dir: string) => Promise<Figure[] | string>> = {
  http: (dir) => httpBench(dir, values),
  scale: (dir) => scale(dir, SCALE),
  'start-up': (dir) => startUp(dir, SIZES),
  ingestion: (dir) => withServer(dir, (scene) => ingestion(scene, SIZES)),
  import: (dir) =>
    withServer(dir, (scene) => importing({ ...scene, dir }, { rows: SIZES.importRows, rounds: 1 })),
  history: (dir) => history(dir, SIZES),
  feed: (dir) => withServer(dir, (scene) => feed(scene, SIZES)),
  mcp: (dir) => withServer(dir, (scene) => mcp(scene, SIZES)),
  stream: (dir) => stream(dir, STREAMS),
}

const HELP = `bun run bench [${Object.keys(BENCHES).join(' | ')}] [--small]
bun run bench http [--only fetch-one,rates] [--servers service,bare] [--rounds N] [--seconds N]
  [--generator wrk|autocannon] [--out FILE]
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

const figures: Figure[] = []
const tables: string[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.error(`measuring: ${name}`)
  const dir = await mkdtemp(join(tmpdir(), 'corridor-bench-'))
  await chmod(dir, 0o755)
  try {
    const measured = await bench(dir)
    if (typeof measured === 'string') tables.push(measured)
    else figures.push(...measured)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
if (figures.length > 0) tables.push(tableOf(figures))
console.log(tables.join('\n\n'))

/** Runs a bench on an embedded server of its own. */
async function withServer(
  dataDir: string,
  bench: (home: Home) => Promise<Figure[]>,
): Promise<Figure[]> {
  const home = await openHome(dataDir)
  try {
    return await bench(home)
  } finally {
    await home.close()
  }
}
