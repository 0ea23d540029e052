import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Outcome of a command. */
export type Outcome = { readonly status: number; readonly printed: string }

const STARTED_MS_MAX = 60_000
/** Time after which a page's commands count as hanging. */
const PAGE_MS_MAX = 240_000

/**
 * Runs commands one after another in one shell, as a person would type them, and returns the output
 * of each. Background processes of a command are stopped at the end, in order.
 *
 * `NAME=crd_...` keeps a key that `env` has, and otherwise takes the demonstration's key of the
 * enterprise plan, or the key that was printed last; `localhost:3000` is replaced by `origin`.
 */
export async function typed(
  commands: readonly string[],
  { folder, origin, env }: { folder: string; origin: string; env: Record<string, string> },
): Promise<Outcome[]> {
  const log = join(folder, '.typed')
  await mkdir(log, { recursive: true })
  const lines = commands.flatMap((command, i) => [
    `{\n${substituted(command, { log, origin })}\n} > ${log}/${i}.out 2>&1`,
    `echo $? > ${log}/${i}.status`,
    ...(command.trimEnd().endsWith('&') ? [waitFor(origin)] : []),
  ])
  const stop = 'for job in $(jobs -p); do kill -TERM "$job"; wait "$job"; done'
  await writeFile(join(log, 'script.sh'), [...lines, stop, ''].join('\n'))
  const shell = Bun.spawn(['bash', join(log, 'script.sh')], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME ?? folder, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const hanging = setTimeout(() => process.kill(-shell.pid, 'SIGTERM'), PAGE_MS_MAX)
  await shell.exited
  clearTimeout(hanging)
  const said = async (name: string) => {
    const file = Bun.file(join(log, name))
    return (await file.exists()) ? file.text() : ''
  }
  return Promise.all(
    commands.map(async (_, i) => ({
      status: Number((await said(`${i}.status`)) || Number.NaN),
      printed: await said(`${i}.out`),
    })),
  )
}

function substituted(command: string, { log, origin }: { log: string; origin: string }): string {
  const printed = `cat $(ls -tr ${log}/*.out)`
  const anyKey = `${printed} | grep -o 'crd_[A-Za-z0-9]*'`
  const realtimeKey = `${printed} | sed -nE 's/^ +enterprise .*(crd_[A-Za-z0-9]+)$/\\1/p'`
  const lastKey = `$({ ${anyKey}; ${realtimeKey}; } | tail -n 1)`
  return command
    .replace(/https?:\/\/(127\.0\.0\.1|localhost):3000/g, origin)
    .replace(/\b([A-Z]+)=crd_\.\.\./g, `$1=\${$1:-${lastKey}}`)
}

const waitFor = (origin: string): string =>
  `timeout ${STARTED_MS_MAX / 1000} bash -c 'until curl -sf ${origin}/healthz; do sleep 0.1; done' > /dev/null`
