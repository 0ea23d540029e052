import { join } from 'node:path'

/** The alert rules as Prometheus itself reads them, and what they do with made-up series. */
const OPS = join(import.meta.dir, '../../ops')
const CHECKS = [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
]

const promtool = Bun.which('promtool')
if (!promtool) console.log('promtool is not here (Debian: apt-get install prometheus)')
else
  for (const args of CHECKS) {
    const { exitCode } = Bun.spawnSync([promtool, ...args], {
      cwd: OPS,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (exitCode !== 0) process.exitCode = 1
  }
