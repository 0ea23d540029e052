import { describe, expect, test } from 'bun:test'
import { Command } from 'commander'
import { addMcp } from '~/command/mcp.ts'
import packageJson from '../../package.json'
import server from '../../server.json'

const [program] = server.packages
const [remote] = server.remotes

/** Checks by the rules of the registry's schema, whose address is in the file. */
describe('server.json', () => {
  test('keeps within the names and lengths that the registry accepts', () => {
    expect(server.$schema).toMatch(/^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\//)
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    expect(server.description.length).toBeLessThanOrEqual(100)
  })

  test('names this package and its version', () => {
    const { name, version } = packageJson
    expect(server.version).toBe(version)
    expect(program).toMatchObject({ registryType: 'npm', identifier: name, version })
    expect(packageJson.mcpName).toBe(server.name)
  })

  test('starts the command with an option and a variable that it knows', () => {
    const corridor = new Command()
    addMcp(corridor, { env: {}, isTerminal: false, print() {}, say() {} })
    const [word, option] = program!.packageArguments
    const command = corridor.commands.find((one) => one.name() === word!.value)
    expect(command?.options.map(({ long }) => long)).toContain(option!.name!)
    expect(command?.helpInformation()).toContain(program!.environmentVariables[0]!.name)
  })

  test('names the tool server, with a header for a key', () => {
    expect(remote!.url).toEndWith('/mcp')
    expect(remote!.headers[0]!.name).toBe('X-API-Key')
    expect(Object.keys(remote!.variables)).toEqual(
      [...remote!.url.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!),
    )
  })
})
