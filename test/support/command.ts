import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { addersFor } from '~/command/commands.ts'
import { failureLine, type Terminal } from '~/command/terminal.ts'
import { BARE_ENV } from './child.ts'

const ROOT = join(import.meta.dir, '../..')

export type Finished = {
  readonly status: number
  readonly stdout: string
  /** Lines on stderr. */
  readonly said: string[]
}

/** Runs `corridor` in this process: what main.ts does with its arguments. */
export const corridor = (args: readonly string[], databaseUrl: string): Promise<Finished> =>
  corridorWith({ DATABASE_URL: databaseUrl }, args)

/**
 * Runs `corridor` in this process with these settings, with or without a person at the terminal.
 */
export async function corridorWith(
  env: Terminal['env'],
  args: readonly string[],
  person: Pick<Terminal, 'isSure'> = {},
): Promise<Finished> {
  const printed: string[] = []
  const said: string[] = []
  const terminal: Terminal = {
    env,
    isTerminal: false,
    print: (line) => void printed.push(`${line}\n`),
    say: (line) => void said.push(line),
    ...person,
  }
  const program = new Command('corridor').exitOverride().configureOutput({
    writeOut: (text) => void printed.push(text),
    writeErr: (text) => void said.push(...linesOf(text)),
  })
  for (const add of await addersFor(args[0])) add(program, terminal)
  const status = await program.parseAsync(args, { from: 'user' }).then(
    () => 0,
    (error) => {
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
      said.push(failureLine(error))
      return 1
    },
  )
  return { status, stdout: printed.join(''), said }
}

export type ProcessOptions = {
  readonly databaseUrl: string
  readonly stdin?: string
  readonly directory?: string
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with the process's id as soon as it runs. */
  readonly onStart?: (pid: number) => void
}

/** Runs `corridor` as a person would, in a process of its own. */
export async function corridorProcess(
  args: readonly string[],
  { databaseUrl, stdin = '', directory = ROOT, env = {}, onStart }: ProcessOptions,
): Promise<Finished> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...args], {
    cwd: directory,
    env: { ...BARE_ENV, DATABASE_URL: databaseUrl, ...env },
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  onStart?.(child.pid)
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, said: linesOf(stderr) }
}

/** The one JSON document on stdout of a command that succeeded. */
export function documentOf({ status, stdout, said }: Finished) {
  if (status !== 0) throw new Error(`exit ${status}: ${said.join('\n')}`)
  return JSON.parse(stdout)
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
