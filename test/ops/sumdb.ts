import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '~/clock.ts'
import { loadConfig } from '~/config.ts'
import { startService } from '~/runtime/service.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { addAccount } from '../runtime/replica-scene.ts'
import { inArrays, observation, otherHandle, stockedDatabase } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { corridor } from '../support/command.ts'
import { endTestCluster } from '../support/postgres.ts'
import { removeScratch, scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'

/** The number of entries in the catalogue of the tests, and of versions of the methodology. */
const CATALOGUE = CURRENCIES.length + PROVIDERS.length + 2
const IMPORTS = 4
const IMPORT_ROWS = 5003
const PROOFS = 200
/** Paths of the library in Debian's package. */
const GO = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }

const log = { debug() {}, info() {}, warn() {}, error: console.error }

/** Seals rows in a service and verifies its log with Go's own code. */
async function verifiedByGo(): Promise<string> {
  const database = await stockedDatabase()
  const config = loadConfig({ PORT: '0', REFERENCE_FEED: 'none', LOG_SEAL_EVERY: '1s' })
  const handle = otherHandle(database)
  const service = await startService({
    config,
    clock: systemClock,
    log,
    database: handle,
    sample: null,
  })
  try {
    const base = `${service.origin}/log/`
    const folder = await scratchFolder()
    const key = (await addAccount(database, {})).keys[0]!
    const files: string[] = []
    const keep = async (name: string, text: string) => {
      files.push(join(folder, name))
      await writeFile(files.at(-1)!, text)
    }
    const nowMs = systemClock.now()
    for (let nth = 1; nth <= IMPORTS; nth++) {
      const rows = Array.from({ length: IMPORT_ROWS }, (_, i) =>
        observation({ rate: `${i + 1}`, effectiveMs: nowMs - (nth * IMPORT_ROWS + i) * 1000 }),
      )
      await importObservations({ database, rows: inArrays(rows, 1000) })
      await until(`the seal of import ${nth}`, async () => {
        const reply = await fetch(`${base}checkpoint`)
        const text = await reply.text()
        const isWhole = text.includes(`\n${CATALOGUE + nth * IMPORT_ROWS}\n`)
        if (isWhole) await keep(`checkpoint-${nth}`, text)
        return isWhole
      })
    }
    for (let nth = 0; nth < PROOFS; nth++) {
      const id = 1 + Math.floor(Math.random() * IMPORTS * IMPORT_ROWS)
      const url = `${service.origin}/api/v1/proofs?observation=${id}`
      const reply = await fetch(url, { headers: { 'x-api-key': key } })
      await keep(`${nth}.tlog-proof`, await reply.text())
    }
    const { stdout } = await corridor(['log', 'key', '--json'], database.url)
    const program = join(import.meta.dir, 'sumdb/main.go')
    const args = ['go', 'run', program, base, JSON.parse(stdout).vkey, ...files]
    const go = Bun.spawn(args, { env: { ...process.env, ...GO }, stderr: 'inherit' })
    const said = await new Response(go.stdout).text()
    if ((await go.exited) !== 0) throw new Error('Go refuses the log')
    return said.trim()
  } finally {
    await service.stop()
    await database.close()
  }
}

try {
  console.log(await verifiedByGo())
  console.log('1 passed, 0 failed')
} finally {
  await endTestCluster()
  await removeScratch()
}
