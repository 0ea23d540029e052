#!/usr/bin/env bun
import { createInterface } from 'node:readline'
import { Command, CommanderError } from 'commander'
import { version } from '../package.json'
import { addersFor } from './command/commands.ts'
import { Interruption } from './command/interruption.ts'
import { failureLine, type Terminal } from './command/terminal.ts'

const EXIT_FAILURE = 1
const EXIT_USAGE = 2

type Fault = (error: NodeJS.ErrnoException) => void

/**
 * A writer to a stream. A reader that has gone away, such as `head`, does not end a service.
 */
function writeTo(stream: NodeJS.WriteStream, onFault: Fault): (line: string) => void {
  const failed: Fault = (error) => {
    if (error.code !== 'EPIPE') onFault(error)
  }
  stream.on('error', failed)
  return (line) => {
    try {
      stream.write(`${line}\n`)
    } catch (error) {
      failed(error as NodeJS.ErrnoException)
    }
  }
}

const say = writeTo(process.stderr, () => {})

/** Reports that the work is done although its result could not be written. */
const unreported: Fault = ({ message }) => {
  say(`corridor: the work is done, but its result cannot be written: ${message}`)
  process.exitCode = EXIT_FAILURE
}

/** Reports whether the next line that is typed is a yes; the end of the input is none. */
async function isSure(question: string): Promise<boolean> {
  process.stderr.write(`${question} (yes/no) `)
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  const lines = createInterface({ input: process.stdin })
  lines.once('line', resolve).once('close', () => resolve(''))
  const text = await answer
  lines.close()
  // A terminal that is still open for reading would keep the process alive.
  process.stdin.destroy()
  return /^y(es)?$/i.test(text.trim())
}

const terminal: Terminal = {
  env: process.env,
  isTerminal: process.stderr.isTTY === true,
  print: writeTo(process.stdout, unreported),
  say,
  ...(process.stdin.isTTY && process.stderr.isTTY && { isSure }),
}

const program = new Command('corridor')
  .description('what it costs to move money into, out of and across Africa')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(--help lists what there is)')

for (const add of await addersFor(process.argv[2])) add(program, terminal)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
  else {
    terminal.say(failureLine(error))
    if (error instanceof Interruption) process.exit(error.exitStatus)
    process.exitCode = EXIT_FAILURE
  }
}
