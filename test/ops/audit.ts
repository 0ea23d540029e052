import { join } from 'node:path'

type Advisory = {
  readonly id: number
  readonly title: string
  readonly severity: string
  readonly url: string
}

const ROOT = join(import.meta.dir, '../..')

/** Advisories that do not affect us, by their id, with the reason. */
const ACCEPTED: Readonly<Record<number, string>> = {}

/**
 * Checks `bun.lock` for known advisories. An unreachable registry is reported, but is not a
 * failure, as a machine without a network has to run the other checks.
 */
const child = Bun.spawn([process.execPath, 'audit', '--json'], {
  cwd: ROOT,
  stdin: 'ignore',
  stdout: 'pipe',
  stderr: 'pipe',
})
const [stdout, stderr] = await Promise.all([
  new Response(child.stdout).text(),
  new Response(child.stderr).text(),
])
await child.exited
const found = advisoriesIn(stdout)
if (found === null) {
  const reason = `${stderr}\n${stdout}`.split('\n').find((line) => /error|fail/i.test(line))
  console.log(`NOT AUDITED: the registry could not be asked (${reason?.trim() ?? 'no answer'})`)
} else {
  const open = found.filter(({ advisory }) => !(advisory.id in ACCEPTED))
  for (const { name, advisory } of open)
    console.log(`${name}: ${advisory.severity}: ${advisory.title} (${advisory.url})`)
  console.log(`audited: ${open.length} advisories, ${found.length - open.length} more accepted`)
  process.exitCode = open.length > 0 ? 1 : 0
}

/** Advisories by package; null for no response. */
function advisoriesIn(text: string): { name: string; advisory: Advisory }[] | null {
  try {
    const byName = JSON.parse(text) as Record<string, Advisory[]>
    return Object.entries(byName).flatMap(([name, advisories]) =>
      advisories.map((advisory) => ({ name, advisory })),
    )
  } catch {
    return null
  }
}
