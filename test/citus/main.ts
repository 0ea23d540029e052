import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { differences } from './differences.ts'
import { openSide, type Side } from './sides.ts'

const PARTS = ['differences']

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const HELP = `bun run citus [${PARTS.join(' | ')}] [--small] [--seed N] [--plain]

DATABASE_URL  an empty database of a PostgreSQL
CITUS_URL     an empty database of a coordinator, with the extension and its workers
Both are filled, and emptied again by the next run. With --plain the second is left as it is after
the migration: that tries the run itself.`

const { DATABASE_URL, CITUS_URL } = process.env
const unknown = positionals.filter((name) => !PARTS.includes(name))
if (values.help || unknown.length > 0 || !DATABASE_URL || !CITUS_URL) {
  if (unknown.length > 0) console.error(`there is no part ${unknown.join(', ')}`)
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

const seed = Number(values.seed)
const SIZES = values.small ? { rows: 3000, questions: 100 } : { rows: 60_000, questions: 1000 }

const folder = await mkdtemp(join(tmpdir(), 'corridor-citus-'))
await chmod(folder, 0o755)
const sides: Side[] = []
try {
  const isDistributed = !values.plain
  sides.push(await openSide({ name: 'plain', url: DATABASE_URL, isDistributed: false }))
  sides.push(await openSide({ name: 'citus', url: CITUS_URL, isDistributed }))
  const startMs = performance.now()
  const { told, faults } = await differences([sides[0]!, sides[1]!], { folder, seed, ...SIZES })
  console.log('| question | asked | with prices | different |\n| --- | --- | --- | --- |')
  for (const { name, asked, filled, different } of told)
    console.log(`| ${name} | ${asked} | ${filled} | ${different} |`)
  for (const fault of faults) console.log(fault)
  const total = told.reduce((sum, { asked }) => sum + asked, 0)
  const seconds = Math.round((performance.now() - startMs) / 1000)
  console.log(`${total} answers compared in ${seconds} s; ${faults.length} faults (seed ${seed})`)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  for (const side of sides) await side.close()
  await rm(folder, { recursive: true, force: true })
}
