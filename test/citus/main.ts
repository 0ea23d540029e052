import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { programsWithCitus } from './cluster.ts'
import { differences } from './differences.ts'
import { FAULTS } from './fault/faults.ts'
import { type Outcome, play } from './fault/play.ts'
import { openScene } from './fault/scene.ts'
import { measures, tableOf } from './measures.ts'
import { openSide, type Side } from './sides.ts'

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    rows: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const FAULT_SHOWN = 600
const seed = Number(values.seed)
const SIZES = values.small
  ? { rows: 3000, questions: 100, tableRows: 20_000, asks: 10 }
  : { rows: 60_000, questions: 1000, tableRows: 2_000_000, asks: 100 }

type Sides = readonly [Side, Side]

/** Each returns the number of errors that it found. */
const PARTS: Record<string, (folder: string) => Promise<number>> = {
  differences: (folder) => onSides((sides) => compared(sides, folder)),
  faults: played,
  table: (folder) => onSides((sides) => measured(sides, folder)),
}

const HELP = `bun run citus [${Object.keys(PARTS).join(' | ')}] [--small] [--seed N] [--plain]
  [--rows N] [--only FAULT]...

DATABASE_URL  an empty database of a PostgreSQL
CITUS_URL     an empty database of a coordinator, with the extension and its workers
Both are filled, and emptied again by the next run. With --plain the second is left as it is after
the migration: that tries the run itself. The faults are played on a cluster of their own, from an
installed PostgreSQL that has the extension; --rows is for the table. FAULT: ${Object.keys(FAULTS).join(', ')}.`

const { DATABASE_URL, CITUS_URL } = process.env
const chosen = Object.keys(PARTS).filter(
  (name) => positionals.length === 0 || positionals.includes(name),
)
const unknown = [
  ...positionals.filter((name) => !(name in PARTS)),
  ...values.only.filter((name) => !(name in FAULTS)),
]
const needsSides = chosen.some((name) => name !== 'faults')
const isMissing = needsSides && !(DATABASE_URL && CITUS_URL)
if (values.help || unknown.length > 0 || isMissing) {
  if (unknown.length > 0) console.error(`there is no ${unknown.join(', ')}`)
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

let faults = 0
for (const name of chosen) {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-citus-'))
  await chmod(folder, 0o755)
  try {
    faults += await PARTS[name]!(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
process.exitCode = faults > 0 ? 1 : 0

async function onSides(work: (sides: Sides) => Promise<number>): Promise<number> {
  const sides: Side[] = []
  try {
    sides.push(await openSide({ name: 'plain', url: DATABASE_URL!, isDistributed: false }))
    sides.push(await openSide(second(CITUS_URL!)))
    return await work([sides[0]!, sides[1]!])
  } finally {
    for (const side of sides) await side.close()
  }
}

function second(url: string) {
  return values.plain
    ? { name: 'plain too', url, isDistributed: false }
    : { name: 'Citus', url, isDistributed: true }
}

async function compared(sides: Sides, folder: string): Promise<number> {
  const startMs = performance.now()
  const found = await differences(sides, { folder, seed, ...SIZES })
  console.log('| question | asked | with prices | different |\n| --- | --- | --- | --- |')
  for (const { name, asked, filled, different } of found.tallies)
    console.log(`| ${name} | ${asked} | ${filled} | ${different} |`)
  for (const line of [...found.faults, ...found.errors]) console.log(line)
  const total = found.tallies.reduce((sum, { asked }) => sum + asked, 0)
  const seconds = Math.round((performance.now() - startMs) / 1000)
  const { length } = found.faults
  console.log(`${total} responses compared in ${seconds} s, ${length} faults, seed ${seed}`)
  return length
}

async function measured(sides: Sides, folder: string): Promise<number> {
  const { asks } = SIZES
  const rows = Number(values.rows ?? SIZES.tableRows)
  const names = sides.map(({ name }) => name)
  console.log(tableOf(names, await measures(sides, { folder, rows, asks })))
  return 0
}

async function played(folder: string): Promise<number> {
  const programs = programsWithCitus()
  if (programs === null) throw new Error('no installed PostgreSQL has the extension citus')
  const outcomes: Outcome[] = []
  const scene = await openScene(programs, folder)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void scene.close().finally(() => process.exit(1)))
  try {
    for (const [name, fault] of Object.entries(FAULTS)) {
      if (values.only.length > 0 && !values.only.includes(name)) continue
      const outcome = await play({ fault, scene, isSmall: values.small })
      outcomes.push(outcome)
      console.error(`${name}: ${outcome.broken.length} faults`)
      for (const reason of outcome.broken) console.error(`${name}: ${reason.slice(0, FAULT_SHOWN)}`)
    }
  } finally {
    await scene.close()
  }
  const columns = ['fault', 'batches', 'live answers', 'in part', 'resets', 'healed in', 'notes']
  const rows = outcomes.map(
    ({ fault, batches, readings, halves, resets, healMs, notes, broken }) => [
      fault,
      ...[batches, readings, halves, resets, `${(healMs / 1000).toFixed(1)} s`],
      Object.entries(notes)
        .map(([what, value]) => `${value} ${what}`)
        .join(', '),
      broken.length > 0 ? 'FAILED' : 'passed',
    ],
  )
  for (const row of [[...columns, ''], columns.concat('').map(() => '---'), ...rows])
    console.log(`| ${row.join(' | ')} |`)
  const failed = outcomes.filter(({ broken }) => broken.length > 0).length
  console.log(`${outcomes.length - failed} passed, ${failed} failed`)
  return failed
}
