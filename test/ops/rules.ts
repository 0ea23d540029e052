import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf } from '../support/blocks.ts'
import { pageAt } from '../support/pages.ts'

/**
 * Checks the alert rules with Prometheus itself, their results on made-up series, and the
 * configuration that docs/observe.md proposes.
 */
const OPS = join(import.meta.dir, '../../ops')
const CHECKS = [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml', 'alerts-days.test.yaml'],
]
const CONFIG = 'prometheus.yml'

const promtool = Bun.which('promtool')
if (!promtool) console.log('promtool is not here (Debian: apt-get install prometheus)')
else {
  for (const args of CHECKS) checked([promtool, ...args], OPS)
  const folder = await mkdtemp(join(tmpdir(), 'corridor-rules-'))
  const proposed = blocksOf(pageAt('docs/observe.md')).find(({ mark }) => mark === CONFIG)
  await writeFile(join(folder, CONFIG), proposed!.text)
  await copyFile(join(OPS, 'alerts.yaml'), join(folder, 'alerts.yaml'))
  checked([promtool, 'check', 'config', CONFIG], folder)
  await rm(folder, { recursive: true })
}

function checked(line: string[], cwd: string): void {
  const { exitCode } = Bun.spawnSync(line, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) process.exitCode = 1
}
