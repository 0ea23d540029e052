import { parseArgs } from 'node:util'
import { openCluster, programsWithCitus, WORKERS } from './cluster.ts'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: String(WORKERS) },
    programs: { type: 'string' },
    durable: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log('bun run citus:cluster [--workers N] [--programs FOLDER] [--durable]')
  console.log('FOLDER holds initdb and postgres of a PostgreSQL that has the extension.')
  process.exit(0)
}

const programs = values.programs ?? programsWithCitus()
if (programs === null) {
  console.error('no installed PostgreSQL has the extension: name its programs with --programs')
  process.exit(1)
}

const ended = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
})
const cluster = await openCluster({
  programs,
  workers: Number(values.workers),
  durable: values.durable,
})
console.log(`CITUS_URL=${cluster.url}`)
console.error(`${cluster.workers.length} workers, in ${cluster.folder}; Ctrl-C ends and removes it`)
await ended
await cluster.close()
