import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { differences } from './differences.ts'
import { measures, tableOf } from './measures.ts'
import { openSide, type Side } from './sides.ts'

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const seed = Number(values.seed)
const SIZES = values.small
  ? { rows: 3000, questions: 100, tableRows: 20_000, asks: 10 }
  : { rows: 60_000, questions: 1000, tableRows: 2_000_000, asks: 100 }

type Sides = readonly [Side, Side]

/** Each takes both sides, empty, and tells how many faults it found. */
const PARTS: Record<string, (sides: Sides, folder: string) => Promise<number>> = {
  differences: compared,
  table: measured,
}

const HELP = `bun run citus [${Object.keys(PARTS).join(' | ')}] [--small] [--seed N] [--plain]

DATABASE_URL  an empty database of a PostgreSQL
CITUS_URL     an empty database of a coordinator, with the extension and its workers
Both are filled, and emptied again by the next run. With --plain the second is left as it is after
the migration: that tries the run itself.`

const { DATABASE_URL, CITUS_URL } = process.env
const unknown = positionals.filter((name) => !(name in PARTS))
if (values.help || unknown.length > 0 || !DATABASE_URL || !CITUS_URL) {
  if (unknown.length > 0) console.error(`there is no part ${unknown.join(', ')}`)
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

let faults = 0
for (const [name, part] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const folder = await mkdtemp(join(tmpdir(), 'corridor-citus-'))
  await chmod(folder, 0o755)
  const sides: Side[] = []
  try {
    sides.push(await openSide({ name: 'plain', url: DATABASE_URL, isDistributed: false }))
    sides.push(await openSide(second(CITUS_URL)))
    faults += await part([sides[0]!, sides[1]!], folder)
  } finally {
    for (const side of sides) await side.close()
    await rm(folder, { recursive: true, force: true })
  }
}
process.exitCode = faults > 0 ? 1 : 0

function second(url: string) {
  return values.plain
    ? { name: 'plain too', url, isDistributed: false }
    : { name: 'Citus', url, isDistributed: true }
}

async function compared(sides: Sides, folder: string): Promise<number> {
  const startMs = performance.now()
  const found = await differences(sides, { folder, seed, ...SIZES })
  console.log('| question | asked | with prices | different |\n| --- | --- | --- | --- |')
  for (const { name, asked, filled, different } of found.told)
    console.log(`| ${name} | ${asked} | ${filled} | ${different} |`)
  for (const fault of found.faults) console.log(fault)
  const total = found.told.reduce((sum, { asked }) => sum + asked, 0)
  const seconds = Math.round((performance.now() - startMs) / 1000)
  const { length } = found.faults
  console.log(`${total} answers compared in ${seconds} s, ${length} faults, seed ${seed}`)
  return length
}

async function measured(sides: Sides, folder: string): Promise<number> {
  const { tableRows: rows, asks } = SIZES
  const names = sides.map(({ name }) => name)
  console.log(tableOf(names, await measures(sides, { folder, rows, asks })))
  return 0
}
