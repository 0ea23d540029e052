import { expect, test } from 'bun:test'
import { Command } from 'commander'
import { addersFor } from '~/command/commands.ts'
import type { Terminal } from '~/command/terminal.ts'

const TERMINAL: Terminal = { env: {}, isTerminal: false, print: () => {}, say: () => {} }

async function namesFor(asked: string | undefined): Promise<string[]> {
  const program = new Command()
  for (const add of await addersFor(asked)) add(program, TERMINAL)
  return program.commands.map((command) => command.name())
}

test('every command is found by its name, and an unknown name loads all of them', async () => {
  const all = await namesFor(undefined)
  expect(all).toContain('serve')
  expect(new Set(all).size).toBe(all.length)
  for (const name of all) expect(await namesFor(name)).toContain(name)
  for (const name of ['sreve', '--help', 'constructor']) expect(await namesFor(name)).toEqual(all)
})

test('a command that is asked for is added without the others', async () => {
  expect(await namesFor('migrate')).toEqual(['migrate'])
})
