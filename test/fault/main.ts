import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { balancerName } from './balancer.ts'
import { NoDisk } from './disk.ts'
import type { Fault } from './fault.ts'
import { FAULTS, isChosen, unknownNames } from './faults.ts'
import { isBroken, KILLS, killComplaints, killTable, playKills } from './kills/kills.ts'
import { play } from './play.ts'
import { openScene, removeScene, type Scene } from './scene.ts'
import { complaintsOf, type Outcome, tableOf } from './table.ts'
import { createTemplate } from './template.ts'

const ERRORS_SHOWN = 3
const NAME_COLUMNS = Math.max(...Object.keys(FAULTS).map((name) => name.length))

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const unknown = unknownNames(values.only.filter((name) => name !== KILLS))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no such fault: ${unknown.join(', ')}`)
  console.log('bun run fault [--small] [--json] [--only NAME]...')
  console.log('NAME is one of these, on either side:')
  for (const [name, fault] of Object.entries(FAULTS))
    console.log(`  ${name.padEnd(NAME_COLUMNS)}  ${fault.name}`)
  console.log(`  ${KILLS.padEnd(NAME_COLUMNS)}  kill -9 of the database at random moments`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

const folder = await mkdtemp(join(tmpdir(), 'corridor-fault-'))
await chmod(folder, 0o755)
const outcomes: Outcome[] = []
const kills: Awaited<ReturnType<typeof playKills>> = []
let scene: Scene | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().finally(() => process.exit(1)))
try {
  const template = await createTemplate(folder)
  for (const [name, fault] of Object.entries(FAULTS)) {
    if (!isWanted(name, fault)) continue
    const startMs = performance.now()
    try {
      if (fault.scene) await endScene()
      scene ??= await openScene(template, join(folder, name), fault.scene)
      const outcome = await play(fault, scene, values.small)
      outcomes.push(outcome)
      console.error(`${name}: ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
      if (outcome.broken.length > 0) {
        console.error(complaintsOf([outcome]).join('\n'))
        for (const replica of scene.replicas)
          for (const line of await replica.errors(ERRORS_SHOWN)) console.error(replica.name, line)
      }
    } catch (error) {
      if (!(error instanceof NoDisk)) throw error
      console.error(`not played: ${error.message}`)
    }
    if (fault.scene || (outcomes.at(-1)?.broken.length ?? 0) > 0) await endScene()
  }
  await endScene()
  if (values.only.length === 0 || values.only.includes(KILLS))
    kills.push(...(await playKills({ template, folder, isSmall: values.small })))
} finally {
  await end()
}
report()

function isWanted(name: string, { isLong }: Fault): boolean {
  if (values.only.length > 0) return isChosen(values.only, name)
  return !(values.small && isLong)
}

async function endScene(): Promise<void> {
  const ended = scene
  scene = null
  if (!ended) return
  await ended.close()
  await removeScene(ended)
}

async function end(): Promise<void> {
  await endScene()
  await rm(folder, { recursive: true, force: true })
}

function report(): void {
  const brokenFaults = outcomes.filter(({ broken }) => broken.length > 0).length
  const failed = brokenFaults + kills.filter(isBroken).length
  const complaints = killComplaints(kills)
  process.exitCode = failed > 0 ? 1 : 0
  if (values.json) {
    console.log(JSON.stringify([...outcomes, ...kills], null, 2))
    return
  }
  if (kills.length > 0) console.log(killTable(kills))
  if (complaints.length > 0) console.log(complaints.join('\n'))
  if (outcomes.length > 0) reportFaults()
  console.log(`${outcomes.length + kills.length - failed} passed, ${failed} failed`)
}

function reportFaults(): void {
  console.log(tableOf(outcomes))
  const stallMs = Math.round(Math.max(...outcomes.map((outcome) => outcome.stallMs)))
  console.log(`before the services: ${balancerName}; the machine's longest stall: ${stallMs} ms`)
  const gone = outcomes.find(({ fault }) => fault === FAULTS['database-gone']?.name)
  if (gone) {
    const ratio = (gone.duringMs / gone.beforeMs).toFixed(2)
    console.log(`p99 of live reads while the database was gone: ${ratio} of before (goal: 1.2)`)
  }
}
